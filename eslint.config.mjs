import tseslint from 'typescript-eslint';

/** Only these may import `vscode`; everything else runs and is tested under plain Node. */
const editorRooms = [
  'extension/extension.ts',
  'extension/settings.ts',
  'extension/chat/**/*.ts',
  'extension/editor/**/*.ts',
];

export default tseslint.config(
  {
    ignores: [
      'node_modules/**',
      'dist/**',
      'target*/**',
      '.cache/**',
      'pkg/wasm/**',
      'examples/**',
      'tests/package/consumers/**',
    ],
  },
  {
    files: ['extension/**/*.ts', 'tests/**/*.ts'],
    extends: [...tseslint.configs.strict],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './tsconfig.page.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
    },
  },
  {
    // node:test returns promises that the runner itself waits for.
    files: ['tests/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: [
                'test',
                'it',
                'describe',
                'suite',
                'before',
                'after',
                'beforeEach',
                'afterEach',
              ],
            },
          ],
        },
      ],
    },
  },
  {
    files: ['extension/**/*.ts'],
    ignores: editorRooms,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: 'vscode',
              message: 'Only extension.ts, settings.ts, chat/ and editor/ know the editor.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['extension/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Program > VariableDeclaration[kind="let"]',
          message: 'No module-level state; give it an owner.',
        },
      ],
    },
  },
);
