/** What goes over the wire: an answer, a page of a proxy, something that is no JSON, or nothing. */
export type Outcome =
  | { readonly type: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly type: 'page'; readonly status: number }
  | { readonly type: 'garbage' }
  | { readonly type: 'silence' }
  | { readonly type: 'reset' };
