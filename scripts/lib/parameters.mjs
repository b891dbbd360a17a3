// What the declarations of the core say of every door's arguments → `parameters.mjs`, by which
// `pkg/arguments.mjs` takes what a caller gives. Only what they name is a door.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StepFailed } from './run.mjs';

/** What is made of a shape that we do not know would be wrong. */
export function newShape(what) {
  throw new StepFailed(`${what} has a new shape.`, 'scripts/build-core.mjs must follow it.');
}

/** Kinds of arguments besides data and the names of classes. */
const kinds = ['string', 'number', 'Uint8Array'];

/**
 * The shape of data: 0 for what holds nothing, the name of another shape, or `list`, `map`, `fields`
 * with the shapes of what it holds. Of a union it is all that its members may hold.
 */
class Shapes {
  constructor(ts, source) {
    this.ts = ts;
    this.source = source;
    this.declared = new Map(
      source.statements
        .filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node))
        .map((node) => [node.name.text, node]),
    );
    /** Those that the doors need, by name. */
    this.named = {};
  }

  of(type) {
    const { ts } = this;
    if (ts.isParenthesizedTypeNode(type)) return this.of(type.type);
    if (ts.isArrayTypeNode(type)) return { list: this.of(type.elementType) };
    if (ts.isTypeOperatorNode(type)) return this.of(type.type);
    if (ts.isTypeLiteralNode(type)) return { fields: this.fields(type.members) };
    if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type)) {
      return type.types.map((member) => this.of(member)).reduce((a, b) => this.both(a, b));
    }
    if (ts.isLiteralTypeNode(type)) return 0;
    if (!ts.isTypeReferenceNode(type)) return this.scalar(type);
    const name = type.typeName.getText(this.source);
    if (name === 'Record') return { map: this.of(type.typeArguments[1]) };
    if (name === 'Partial') return this.of(type.typeArguments[0]);
    return this.byName(name);
  }

  scalar({ kind }) {
    const { SyntaxKind } = this.ts;
    const known = [
      SyntaxKind.StringKeyword,
      SyntaxKind.NumberKeyword,
      SyntaxKind.BooleanKeyword,
      SyntaxKind.UndefinedKeyword,
    ];
    return known.includes(kind) ? 0 : newShape('A type in the declarations');
  }

  byName(name) {
    if (!(name in this.named)) {
      const node = this.declared.get(name);
      if (node === undefined) newShape(`The type ${name}`);
      this.named[name] = 0; // Until it is known, for one that holds itself.
      this.named[name] = this.ts.isInterfaceDeclaration(node)
        ? { fields: this.fields(node.members) }
        : this.of(node.type);
    }
    return this.named[name] === 0 ? 0 : name;
  }

  fields(members) {
    return Object.fromEntries(
      members.map((member) => [member.name.text ?? newShape('A property'), this.of(member.type)]),
    );
  }

  both(a, b) {
    if (a === 0 || JSON.stringify(a) === JSON.stringify(b)) return b;
    if (b === 0) return a;
    const [left, right] = [this.target(a), this.target(b)];
    if (!('fields' in left && 'fields' in right)) newShape('A union');
    const fields = { ...left.fields };
    for (const [key, shape] of Object.entries(right.fields)) {
      fields[key] = key in fields ? this.both(fields[key], shape) : shape;
    }
    return { fields };
  }

  target(shape) {
    return typeof shape === 'string' ? this.target(this.named[shape]) : shape;
  }
}

/**
 * Every list of the declarations as `readonly`: the core changes none that it is given, so a caller's
 * may be one that cannot be changed.
 */
function withReadonlyLists(ts, source) {
  const starts = [];
  const visit = (node) => {
    const isMarked =
      ts.isTypeOperatorNode(node.parent ?? node) &&
      node.parent.operator === ts.SyntaxKind.ReadonlyKeyword;
    if (ts.isArrayTypeNode(node) && !isMarked) starts.push(node.getStart(source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  // From the end on, so that the places before stay where they are.
  return starts
    .sort((a, b) => b - a)
    .reduce((text, at) => `${text.slice(0, at)}readonly ${text.slice(at)}`, source.text);
}

/** Links of Rust's documentation as TypeScript names things: `ConfigSource.guarded`, `readForm`. */
function withoutLinks(text) {
  return text.replace(/\[`(?:crate::(?:\w+::)*)?([\w:]+)`\]/g, (_, name) => {
    const camel = name.replace(/_([a-z])/g, (__, letter) => letter.toUpperCase());
    return `\`${camel.replaceAll('::', '.')}\``;
  });
}

/** Finishes the declarations, and writes what they say of each door's arguments. */
export async function writeParameters(folder, note) {
  const { default: ts } = await import('typescript');
  const path = join(folder, 'gbs.d.ts');
  const parse = (text) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const declared = withoutLinks(readFileSync(path, 'utf8'));
  const source = parse(withReadonlyLists(ts, parse(declared)));
  writeFileSync(path, source.text);
  const shapes = new Shapes(ts, source);
  const classNames = source.statements.filter(ts.isClassDeclaration).map(({ name }) => name.text);
  const own = ['SkillFile[]']; // Looked at by skills.mjs: they hold bytes.
  const parameters = (door) =>
    door.parameters.map(({ name, type, questionToken }) => {
      if (questionToken !== undefined) newShape('An optional argument');
      const text = type.getText(source).replace(/^readonly /, '');
      if ([...kinds, ...classNames].includes(text)) return [name.text, text];
      return own.includes(text) ? [name.text, 'own'] : [name.text, 'data', shapes.of(type)];
    });
  const functions = {};
  const classes = {};
  for (const name of classNames) classes[name] = { constructor: [], methods: {} };
  for (const node of source.statements) {
    if (ts.isFunctionDeclaration(node)) functions[node.name.text] = parameters(node);
    // A class's methods that JavaScript adds are declared by an interface of its name.
    if (!(ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node))) continue;
    const shape = classes[node.name.text];
    for (const member of shape === undefined ? [] : node.members) {
      if (ts.isConstructorDeclaration(member)) shape.constructor = parameters(member);
      const isMethod = ts.isMethodDeclaration(member) || ts.isMethodSignature(member);
      const isDoor = isMethod && ts.isIdentifier(member.name) && member.name.text !== 'free';
      if (isDoor) shape.methods[member.name.text] = parameters(member);
    }
  }
  const text = JSON.stringify({ functions, classes, types: shapes.named }, null, 1);
  writeFileSync(join(folder, 'parameters.mjs'), `${note}export const parameters = ${text};\n`);
}
