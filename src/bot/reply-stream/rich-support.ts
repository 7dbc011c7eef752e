/** Support of the Bot API server for rich messages, detected by use and kept in memory. */
export interface RichSupport {
  readonly isKnown: boolean;
  /** Records that the server does not support them. */
  deny(): void;
}

/** Disables rich messages. */
export const NO_RICH_MESSAGES: RichSupport = { isKnown: false, deny() {} };

/** Assumes support until the server denies it: rich messages came with Bot API 10.1. */
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
