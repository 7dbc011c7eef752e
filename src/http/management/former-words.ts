/**
 * Words of the management API before version 0.3. Requests may use them until version 0.4, answers never contain them.
 */
const FORMER_ACTIONS: Readonly<Record<string, string>> = {
  announce: 'broadcast',
  'pause-announcement': 'pause-broadcast',
  'resume-announcement': 'resume-broadcast',
  'cancel-announcement': 'cancel-broadcast',
};

/** Returns `user:5` for `person:5`, and other texts as they are. */
export function toCurrentScope(name: string): string {
  return name.replace(/^person:/, 'user:');
}

/** Returns the current name of an action of the audit log, and other values as they are. */
export function toCurrentAction(action: unknown): unknown {
  const current = typeof action === 'string' && Object.hasOwn(FORMER_ACTIONS, action) && FORMER_ACTIONS[action];
  return current || action;
}
