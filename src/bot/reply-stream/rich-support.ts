/** Whether the Bot API server knows rich messages: asked by using them, and remembered as long as the process lives. */
export interface RichSupport {
  readonly isKnown: boolean;
  /** The server has said that it knows no such thing. */
  deny(): void;
}

/** Where none are wanted. */
export const NO_RICH_MESSAGES: RichSupport = { isKnown: false, deny() {} };

/** Rich messages came with Bot API 10.1; a server is taken to know them until it says otherwise. */
export function createRichSupport(): RichSupport {
  let isKnown = true;
  return {
    get isKnown() {
      return isKnown;
    },
    deny() {
      isKnown = false;
    },
  };
}
