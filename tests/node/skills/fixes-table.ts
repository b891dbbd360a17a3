/** Broken headers, one a row, with what each quick fix makes of the file. */

/** Of the finding `code` in a SKILL.md of the folder `a`: each fix and what the file is after it. */
export type Row = readonly [
  code: string,
  text: string,
  fixes: readonly (readonly [string, string])[],
];

export const table: readonly Row[] = [
  [
    'unquoted-colon',
    '---\nname: a\ndescription: Use: it\n---\nB\n',
    [['Put this value in quotes', '---\nname: a\ndescription: "Use: it"\n---\nB\n']],
  ],
  [
    'text-after-value',
    '---\nname: a\ndescription: "Use" it\n---\nB\n',
    [['Put this value in quotes', '---\nname: a\ndescription: \'"Use" it\'\n---\nB\n']],
  ],
  [
    'unknown-alias',
    '---\nname: a\ndescription: *bold* text\n---\nB\n',
    [['Put this value in quotes', '---\nname: a\ndescription: "*bold* text"\n---\nB\n']],
  ],
  [
    'unknown-alias',
    '---\nname: a\ndescription: *bold\n---\nB\n',
    [['Put this value in quotes', '---\nname: a\ndescription: "*bold"\n---\nB\n']],
  ],
  [
    'unknown-alias',
    '---\nname: a\ndescription: D.\ntags: [*x, b]\n---\nBody.\n',
    [['Put this value in quotes', '---\nname: a\ndescription: D.\ntags: ["*x", b]\n---\nBody.\n']],
  ],
  [
    'reserved-start',
    '---\nname: a\ndescription: D.\nlicense: @x\n---\nBody.\n',
    [['Put this value in quotes', '---\nname: a\ndescription: D.\nlicense: "@x"\n---\nBody.\n']],
  ],
  [
    'reserved-start',
    '---\nname: a\ndescription: D.\nlicense: `x`\n---\nBody.\n',
    [['Put this value in quotes', '---\nname: a\ndescription: D.\nlicense: "`x`"\n---\nBody.\n']],
  ],
  [
    'reserved-start',
    '---\nname: a\ndescription: D.\nlicense: %x\n---\nBody.\n',
    [['Put this value in quotes', '---\nname: a\ndescription: D.\nlicense: "%x"\n---\nBody.\n']],
  ],
  [
    'unclosed-quote',
    '---\nname: a\ndescription: D.\nlicense: "MIT\n---\nBody.\n',
    [['Put this value in quotes', '---\nname: a\ndescription: D.\nlicense: "MIT"\n---\nBody.\n']],
  ],
  [
    'unclosed-bracket',
    '---\nname: a\ndescription: D.\ntags: [a, b\n---\nBody.\n',
    [['Close this bracket', '---\nname: a\ndescription: D.\ntags: [a, b]\n---\nBody.\n']],
  ],
  [
    'broken-brackets',
    '---\nname: a\ndescription: D.\ntags: [a: b: c}]\n---\nBody.\n',
    [
      [
        'Put this value in quotes',
        '---\nname: a\ndescription: D.\ntags: "[a: b: c}]"\n---\nBody.\n',
      ],
    ],
  ],
  [
    'text-after-value',
    '---\nname: a\ndescription: D.\nlicense: {a b} c\n---\nBody.\n',
    [
      [
        'Put this value in quotes',
        '---\nname: a\ndescription: D.\nlicense: "{a b} c"\n---\nBody.\n',
      ],
    ],
  ],
  [
    'outdented-line',
    '---\nname: a\ndescription: D\nmore text here\n---\nB\n',
    [['Put this value in quotes', '---\nname: a\ndescription: "D more text here"\n---\nB\n']],
  ],
  [
    'uneven-indentation',
    '---\nname: a\ndescription: D.\nmetadata:\n  a: b\n c: d\n---\nBody.\n',
    [
      [
        'Indent like the lines beside it',
        '---\nname: a\ndescription: D.\nmetadata:\n  a: b\n  c: d\n---\nBody.\n',
      ],
    ],
  ],
  [
    'uneven-indentation',
    '---\nname: a\ndescription: D.\n license: MIT\n---\nBody.\n',
    [
      [
        'Indent like the lines beside it',
        '---\nname: a\ndescription: D.\nlicense: MIT\n---\nBody.\n',
      ],
    ],
  ],
  [
    'tab-indentation',
    '---\nname: a\ndescription: D.\nmetadata:\n\ta: b\n---\nBody.\n',
    [['Indent with spaces', '---\nname: a\ndescription: D.\nmetadata:\n  a: b\n---\nBody.\n']],
  ],
  [
    'duplicate-key',
    '---\nname: a\ndescription: D.\nname: b\n---\nBody.\n',
    [['Remove this key', '---\nname: a\ndescription: D.\n---\nBody.\n']],
  ],
  [
    'duplicate-key',
    '---\nname: a\ndescription: D.\nmetadata: {a: 1, a: 2}\n---\nBody.\n',
    [
      [
        'Write this field as it was read',
        '---\nname: a\ndescription: D.\nmetadata: {"a":1}\n---\nBody.\n',
      ],
    ],
  ],
  [
    'duplicate-key',
    '---\nname: a\ndescription: D.\nmetadata:\n  a: 1\n  a: 2\n---\nBody.\n',
    [['Remove this key', '---\nname: a\ndescription: D.\nmetadata:\n  a: 1\n---\nBody.\n']],
  ],
  [
    'stray-line',
    '---\njust text\nname: a\ndescription: D\n---\nB\n',
    [
      ['Make it a comment', '---\n# just text\nname: a\ndescription: D\n---\nB\n'],
      ['Remove it', '---\nname: a\ndescription: D\n---\nB\n'],
    ],
  ],
  [
    'stray-line',
    '---\nname: a\ndescription: D.\nlicense: MIT\n- x\nversion: 1\n---\nBody.\n',
    [
      [
        'Make it a comment',
        '---\nname: a\ndescription: D.\nlicense: MIT\n# - x\nversion: 1\n---\nBody.\n',
      ],
      ['Remove it', '---\nname: a\ndescription: D.\nlicense: MIT\nversion: 1\n---\nBody.\n'],
    ],
  ],
  [
    'missing-space',
    '---\nname: a\ndescription: D.\nlicense:MIT\n---\nBody.\n',
    [['Write a colon and a blank', '---\nname: a\ndescription: D.\nlicense: MIT\n---\nBody.\n']],
  ],
  [
    'bad-escape',
    '---\nname: a\ndescription: D.\nlicense: "a\\qb"\n---\nBody.\n',
    [['Write two backslashes', '---\nname: a\ndescription: D.\nlicense: "a\\\\qb"\n---\nBody.\n']],
  ],
  [
    'block-header',
    '---\nname: a\ndescription: D.\nlicense: | MIT\n---\nBody.\n',
    [['Put this value in quotes', '---\nname: a\ndescription: D.\nlicense: "MIT"\n---\nBody.\n']],
  ],
  [
    'markdown-bullet',
    '---\nname: a\ndescription: D.\ntags:\n  * a\n  * b\n---\nBody.\n',
    [['Use - for this item', '---\nname: a\ndescription: D.\ntags:\n  - a\n  * b\n---\nBody.\n']],
  ],
  [
    'bad-anchor',
    '---\nname: a\ndescription: D.\nlicense: & x\n---\nBody.\n',
    [['Put this value in quotes', '---\nname: a\ndescription: D.\nlicense: "& x"\n---\nBody.\n']],
  ],
  [
    'bad-anchor',
    '---\nname: a\ndescription: D.\nlicense: &a &b x\n---\nBody.\n',
    [
      [
        'Put this value in quotes',
        '---\nname: a\ndescription: D.\nlicense: "&a &b x"\n---\nBody.\n',
      ],
    ],
  ],
  [
    'bad-anchor',
    '---\nname: a\ndescription: D.\nlicense: &a\n  &b x\n---\nBody.\n',
    [
      ['Remove the anchor', '---\nname: a\ndescription: D.\nlicense: \n  &b x\n---\nBody.\n'],
      [
        'Write this field as it was read',
        '---\nname: a\ndescription: D.\nlicense: "x"\n---\nBody.\n',
      ],
    ],
  ],
  [
    'control-character',
    '---\nname: a\ndescription: D.\nlicense: M\u0000IT\n---\nBody.\n',
    [['Remove it', '---\nname: a\ndescription: D.\nlicense: MIT\n---\nBody.\n']],
  ],
  [
    'missing-name',
    '---\ndescription: D\n---\nB\n',
    [["Add the folder's name", '---\nname: a\ndescription: D\n---\nB\n']],
  ],
  [
    'missing-name',
    '---\nname:\ndescription: D\n---\nB\n',
    [["Add the folder's name", '---\nname: a\ndescription: D\n---\nB\n']],
  ],
  [
    'invalid-name',
    '---\nname: Bad Name\ndescription: D\n---\nB\n',
    [
      ['Correct the name', '---\nname: bad-name\ndescription: D\n---\nB\n'],
      ["Use the folder's name", '---\nname: a\ndescription: D\n---\nB\n'],
    ],
  ],
  [
    'invalid-name',
    '---\nname: "日本"\ndescription: D\n---\nB\n',
    [['Correct the name', '---\nname: a\ndescription: D\n---\nB\n']],
  ],
  [
    'name-differs-from-folder',
    '---\nname: b\ndescription: D\n---\nB\n',
    [
      ["Rename the folder to the skill's name", 'renameFolder b'],
      ["Use the folder's name", '---\nname: a\ndescription: D\n---\nB\n'],
    ],
  ],
  [
    'missing-description',
    '---\nname: a\n---\nB\n',
    [
      ["Describe it by the text's first sentence", '---\ndescription: "B"\nname: a\n---\nB\n'],
      [
        'Add a description to fill in',
        '---\ndescription: Says what this skill does and when to use it.\nname: a\n---\nB\n',
      ],
    ],
  ],
  [
    'missing-description',
    '---\nname: a\ndescription:\n---\nB\n',
    [
      ["Describe it by the text's first sentence", '---\nname: a\ndescription: "B"\n---\nB\n'],
      [
        'Add a description to fill in',
        '---\nname: a\ndescription: Says what this skill does and when to use it.\n---\nB\n',
      ],
    ],
  ],
  [
    'missing-description',
    '---\nname: a\ndescription: "​"\n---\nB\n',
    [
      ["Describe it by the text's first sentence", '---\nname: a\ndescription: "B"\n---\nB\n'],
      [
        'Add a description to fill in',
        '---\nname: a\ndescription: Says what this skill does and when to use it.\n---\nB\n',
      ],
    ],
  ],
  [
    'unknown-glob',
    '---\nname: a\ndescription: D.\nautoAttach: ["a{b", "x"]\n---\nBody.\n',
    [
      [
        'Remove the globs that are not understood',
        '---\nname: a\ndescription: D.\nautoAttach: ["x"]\n---\nBody.\n',
      ],
    ],
  ],
  [
    'wrong-type',
    '---\nname: a\ndescription: D.\nlicense: [a, b]\n---\nBody.\n',
    [
      [
        'Put this value in quotes',
        '---\nname: a\ndescription: D.\nlicense: "[a, b]"\n---\nBody.\n',
      ],
      ['Write it as one text', '---\nname: a\ndescription: D.\nlicense: "a b"\n---\nBody.\n'],
    ],
  ],
  [
    'wrong-type',
    '---\nname: a\ndescription: D.\nlicense:\n  - a\n  - b\n---\nBody.\n',
    [['Write it as one text', '---\nname: a\ndescription: D.\nlicense:\n  "a b"\n---\nBody.\n']],
  ],
  [
    'wrong-type',
    '---\nname: a\ndescription: D.\nlicense:\n  a: b\n---\nBody.\n',
    [['Write it as one text', '---\nname: a\ndescription: D.\nlicense:\n  "a: b"\n---\nBody.\n']],
  ],
  [
    'wrong-type',
    '---\nname: a\ndescription: D.\ntags:\n  a: b\n---\nBody.\n',
    [
      ['Write the keys as a list', '---\nname: a\ndescription: D.\ntags:\n  ["a"]\n---\nBody.\n'],
      ['Write the values as a list', '---\nname: a\ndescription: D.\ntags:\n  ["b"]\n---\nBody.\n'],
    ],
  ],
  [
    'wrong-type',
    '---\nname: a\ndescription: D.\nuser-invocable: maybe\n---\nBody.\n',
    [
      ['Write true', '---\nname: a\ndescription: D.\nuser-invocable: true\n---\nBody.\n'],
      ['Write false', '---\nname: a\ndescription: D.\nuser-invocable: false\n---\nBody.\n'],
    ],
  ],
  [
    'wrong-type',
    '---\nname: a\ndescription: D.\nuser-invocable: "yes"\n---\nBody.\n',
    [
      ['Write true', '---\nname: a\ndescription: D.\nuser-invocable: true\n---\nBody.\n'],
      ['Write false', '---\nname: a\ndescription: D.\nuser-invocable: false\n---\nBody.\n'],
    ],
  ],
  [
    'wrong-type',
    '---\nname: a\ndescription: D.\nuser-invocable: [a]\n---\nBody.\n',
    [
      ['Write true', '---\nname: a\ndescription: D.\nuser-invocable: true\n---\nBody.\n'],
      ['Write false', '---\nname: a\ndescription: D.\nuser-invocable: false\n---\nBody.\n'],
    ],
  ],
  [
    'no-front-matter',
    'Body\n',
    [['Add a header', '---\nname: a\ndescription: "Body"\n---\n\nBody\n']],
  ],
  [
    'front-matter-not-first',
    '\n\n---\nname: a\ndescription: D\n---\nB\n',
    [['Remove what stands before the header', '---\nname: a\ndescription: D\n---\nB\n']],
  ],
  [
    'unclosed-front-matter',
    '---\nname: a\ndescription: D\n\nBody\n',
    [['Close the header with ---', '---\nname: a\ndescription: D\n---\n\nBody\n']],
  ],
  [
    'collection-key',
    '---\nname: a\ndescription: D.\nmetadata: {[a, b]: c}\n---\nBody.\n',
    [
      [
        'Put this value in quotes',
        '---\nname: a\ndescription: D.\nmetadata: "{[a, b]: c}"\n---\nBody.\n',
      ],
    ],
  ],
  [
    'misspelled-field',
    '---\nname: a\ndescripton: D\n---\nB\n',
    [['Correct the name of the field', '---\nname: a\ndescription: D\n---\nB\n']],
  ],
  [
    'misspelled-field',
    '---\nname: a\ndescription: D.\nLicence: MIT\n---\nBody.\n',
    [
      [
        'Correct the name of the field',
        '---\nname: a\ndescription: D.\nlicense: MIT\n---\nBody.\n',
      ],
    ],
  ],
  [
    'no-front-matter',
    '----\nname: a\ndescription: D\n---\nB\n',
    [['Write --- on the first line', '---\nname: a\ndescription: D\n---\nB\n']],
  ],
  [
    'unknown-tag',
    '---\nname: a\ndescription: D.\nlicense: !a!b x\n---\nB\n',
    [['Put this value in quotes', '---\nname: a\ndescription: D.\nlicense: "!a!b x"\n---\nB\n']],
  ],
];
