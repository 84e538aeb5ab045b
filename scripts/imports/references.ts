import { parseSync, Visitor } from 'oxc-parser';

/** What one source file refers to. */
export interface References {
  /** Module specifiers of imports, re-exports, `import()` calls and import types, each once, in order. */
  readonly specifiers: readonly string[];
  /** Whether the process environment is read: `process.env`, or `env` taken from `process` by name. */
  readonly readsEnvironment: boolean;
  /** The first syntax error, if the file has one. */
  readonly syntaxError: string | undefined;
}

/** Parses `source` (TypeScript or JavaScript, told by `path`) and collects what it refers to. Comments don't count. */
export function referencesOf(path: string, source: string): References {
  const parsed = parseSync(path, source);
  const specifiers = new Set<string>();
  let readsEnvironment = false;
  new Visitor({
    ImportDeclaration(node) {
      specifiers.add(node.source.value);
      if (!isProcessModule(node.source.value)) return;
      readsEnvironment ||= node.specifiers.some(
        (one) => one.type === 'ImportSpecifier' && 'name' in one.imported && one.imported.name === 'env',
      );
    },
    ExportNamedDeclaration(node) {
      if (node.source) specifiers.add(node.source.value);
    },
    ExportAllDeclaration(node) {
      specifiers.add(node.source.value);
    },
    ImportExpression(node) {
      if (node.source.type === 'Literal' && typeof node.source.value === 'string')
        specifiers.add(node.source.value);
    },
    TSImportType(node) {
      specifiers.add(node.source.value);
    },
    MemberExpression(node) {
      const { object, property } = node;
      const name =
        property.type === 'Identifier' ? property.name : 'value' in property ? property.value : undefined;
      readsEnvironment ||= isProcess(object) && name === 'env';
    },
    VariableDeclarator(node) {
      if (node.id.type !== 'ObjectPattern' || !node.init || !isProcess(node.init)) return;
      readsEnvironment ||= node.id.properties.some(
        (one) => one.type === 'Property' && one.key.type === 'Identifier' && one.key.name === 'env',
      );
    },
  }).visit(parsed.program);
  return { specifiers: [...specifiers], readsEnvironment, syntaxError: parsed.errors[0]?.message };
}

function isProcessModule(specifier: string): boolean {
  return specifier === 'node:process' || specifier === 'process';
}

function isProcess(node: { readonly type: string; readonly name?: unknown }): boolean {
  return node.type === 'Identifier' && node.name === 'process';
}
