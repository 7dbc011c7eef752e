import { describeError } from '../../../lib/describe-error.ts';

const MAX_CHARACTERS = 300;

/** Describes an error in one line, without secrets and without URLs, which often contain keys. */
export function describeMcpFailure(error: unknown, secrets: readonly string[]): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${describeError(error.cause)}` : '';
  let words = `${describeError(error)}${cause}`.replace(/\s+/g, ' ');
  for (const secret of secrets) {
    for (const spelling of [secret, encodeURIComponent(secret)]) words = words.replaceAll(spelling, '***');
  }
  return words.replace(/\bhttps?:\/\/\S+/g, '(address)').slice(0, MAX_CHARACTERS);
}

/** Returns true if the server does not know the session, or there is no connection: the call was not executed. */
export async function isSessionGone(error: unknown): Promise<boolean> {
  const { SdkError, SdkErrorCode, SdkHttpError } = await import('@modelcontextprotocol/client');
  if (error instanceof SdkHttpError) return error.status === 404;
  return error instanceof SdkError && error.code === SdkErrorCode.NotConnected;
}
