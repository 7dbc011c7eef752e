import type { LimitScope } from './plans.ts';

/** Owner of a limit or a budget: a user, an API key, a chat by its Telegram id, a client address, or all. */
export type Scope = BudgetScope | { readonly kind: 'address'; readonly id: string };

export type BudgetScope =
  | { readonly kind: Exclude<LimitScope, 'address'>; readonly id: number }
  | { readonly kind: 'instance' };

export type ScopeKind = Scope['kind'];

/** Name of a scope in the database and the management API: `user:5`, `key:12`, `chat:-1001234567890`, `instance`. */
export type ScopeName = string;

export function printScope(scope: Scope): ScopeName {
  return scope.kind === 'instance' ? scope.kind : `${scope.kind}:${scope.id}`;
}

/** Returns undefined for addresses, which have no budgets, and for other texts. */
export function parseScope(name: ScopeName): BudgetScope | undefined {
  if (name === 'instance') return { kind: name };
  const [, kind, id] = /^(user|key|chat):(-?[1-9]\d{0,15})$/.exec(name) ?? [];
  return kind === 'user' || kind === 'key' || kind === 'chat' ? { kind, id: Number(id) } : undefined;
}
