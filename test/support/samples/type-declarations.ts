import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type Declaration,
  type Module,
  parseSync,
  type TsEntityName,
  type TsExpressionWithTypeArguments,
  type TsInterfaceDeclaration,
  type TsType,
  type TsTypeAliasDeclaration,
} from '@swc/core';

/** Declaration of a named type. */
export type NamedType = TsInterfaceDeclaration | TsTypeAliasDeclaration;

/** Declarations by name. `Chat.PrivateChat` is looked up first in its namespace, then globally. */
export type Declarations = ReadonlyMap<string, NamedType>;

/** Reads the types of the Bot API from its package, so that new versions are covered automatically. */
export function readBotApiTypes(): Declarations {
  const folder = dirname(createRequire(import.meta.url).resolve('@grammyjs/types/package.json'));
  const found = new Map<string, NamedType>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.d.ts'))) {
    const module: Module = parseSync(readFileSync(join(folder, file), 'utf8'), { syntax: 'typescript' });
    for (const item of module.body) {
      if (item.type === 'ExportDeclaration') collect(item.declaration, '', found);
      else if (isDeclaration(item)) collect(item, '', found);
    }
  }
  return found;
}

function isDeclaration(item: Module['body'][number]): item is Extract<Module['body'][number], Declaration> {
  return /^Ts(?:Interface|TypeAlias|Module)Declaration$/.test(item.type);
}

function collect(declaration: Declaration, prefix: string, found: Map<string, NamedType>): void {
  if (declaration.type === 'TsInterfaceDeclaration' || declaration.type === 'TsTypeAliasDeclaration') {
    found.set(prefix + declaration.id.value, declaration);
  } else if (declaration.type === 'TsModuleDeclaration' && declaration.body?.type === 'TsModuleBlock') {
    for (const item of declaration.body.body) {
      const inner = item.type === 'ExportDeclaration' ? item.declaration : item;
      if (isDeclaration(inner)) collect(inner, `${declaration.id.value}.`, found);
    }
  }
}

/** Returns a qualified name as text, such as `Chat.PrivateChat`. */
export function nameOf(name: TsEntityName | TsExpressionWithTypeArguments['expression']): string {
  if (name.type === 'Identifier') return name.value;
  if (name.type === 'TsQualifiedName') return `${nameOf(name.left)}.${name.right.value}`;
  if (name.type === 'MemberExpression' && name.property.type === 'Identifier') {
    return `${nameOf(name.object)}.${name.property.value}`;
  }
  return '';
}

/** A field of an interface. */
export interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: TsType;
}

/** Returns the fields of an interface, inherited ones first. */
export function listFields(types: Declarations, name: string): readonly Field[] {
  const declared = types.get(name);
  if (declared?.type !== 'TsInterfaceDeclaration') return [];
  const namespace = name.includes('.') ? `${name.slice(0, name.lastIndexOf('.'))}.` : '';
  const inherited = declared.extends.flatMap(({ expression }) => {
    const parent = nameOf(expression);
    return listFields(types, types.has(namespace + parent) ? namespace + parent : parent);
  });
  const own = declared.body.body.flatMap((member): Field[] => {
    if (member.type !== 'TsPropertySignature' || member.key.type !== 'Identifier' || !member.typeAnnotation) return [];
    return [{ name: member.key.value, isOptional: member.optional, type: member.typeAnnotation.typeAnnotation }];
  });
  return [...inherited, ...own];
}
