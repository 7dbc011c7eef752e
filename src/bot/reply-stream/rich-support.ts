/** Support of the Bot API server for rich messages, detected by use and kept in memory. */
export interface RichSupport {
  readonly isSupported: boolean;
  /** Records that the server does not support them. */
  markUnsupported(): void;
}

/** Disables rich messages. */
export const NO_RICH_MESSAGES: RichSupport = { isSupported: false, markUnsupported() {} };

/** Assumes support until the server denies it: rich messages came with Bot API 10.1. */
export function createRichSupport(): RichSupport {
  let isSupported = true;
  return {
    get isSupported() {
      return isSupported;
    },
    markUnsupported() {
      isSupported = false;
    },
  };
}
