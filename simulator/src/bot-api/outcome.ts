/** Response on the wire: JSON, an HTML error page of a proxy, invalid JSON, none, or a connection reset. */
export type Outcome =
  | { readonly type: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly type: 'page'; readonly status: number }
  | { readonly type: 'garbage' }
  | { readonly type: 'silence' }
  | { readonly type: 'reset' };
