/** What goes over the wire: an answer, a broken one, or none. */
export type Outcome =
  | { readonly type: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly type: 'garbage' }
  | { readonly type: 'silence' }
  | { readonly type: 'reset' };
