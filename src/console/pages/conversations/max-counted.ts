/** The service counts messages of a conversation up to this number. */
export const MAX_COUNTED = 1000;
