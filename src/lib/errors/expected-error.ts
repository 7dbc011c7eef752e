/** Error that is no failure, in whatever it ends. The logger drops lines with it as `err`, unless they are fatal. */
export abstract class ExpectedError extends Error {}
