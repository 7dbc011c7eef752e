import { UniversalKeyFileError } from '../core/accounts/index.ts';
import { EncryptionKeyError } from '../core/storage/index.ts';
import { DatabaseUnusableError } from '../database/connect.ts';
import { CopyFailedError, CopyInterruptedError, CopyRefusedError } from '../database/copy/copy-failures.ts';
import { describeError } from '../lib/errors/describe-error.ts';
import { SettingsError } from '../lib/errors/settings-error.ts';
import { DirectoryInUseError } from '../lib/files/directory-lock.ts';
import { DirectoryUnusableError } from '../lib/files/make-directory.ts';
import { DirectoryExposedError } from '../lib/files/private-directory.ts';
import { redactSecrets } from '../lib/log/logger.ts';
import { UnauthorizedError } from '../telegram/updates/poll-updates.ts';

/** Exit codes of sysexits.h: command line usage error, configuration error. */
const EXIT_USAGE = 64;
const EXIT_CONFIG = 78;
/** As of a process that Ctrl+C ends: 128 and the number of SIGINT. */
export const EXIT_INTERRUPTED = 130;

/** Description of a fatal error for the terminal. */
export interface StartFailure {
  readonly text: string;
  readonly exitCode: number;
  /** True if the usage text should be shown. */
  readonly isUsage: boolean;
}

/** Limits of the output on the terminal; the full text is in the log. */
const MAX_LINES = 200;
const MAX_LINE_CHARACTERS = 1000;
/** Password in any URL. */
const URL_PASSWORD = /(\b[a-z][\w+.-]{0,30}:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/gi;

/**
 * Describes a fatal error. Errors that users can fix have no stack trace, others have one.
 * @param secrets values to redact, since messages may contain URLs with passwords.
 */
export function describeStartFailure(error: unknown, secrets: Iterable<string> = []): StartFailure {
  const described = describe(error);
  const text = redactSecrets(described.text.replace(URL_PASSWORD, '$1[secret]'), secrets);
  const lines = text.split('\n', MAX_LINES).map((line) => cut(line));
  return { ...described, text: lines.join('\n') };
}

function cut(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS ? line : `${line.slice(0, MAX_LINE_CHARACTERS)}…`;
}

function describe(error: unknown): StartFailure {
  if (!(error instanceof Error)) return failure(describeError(error));
  if (error instanceof SettingsError)
    return failure(error.problems.map((problem) => `- ${problem}`).join('\n'), EXIT_CONFIG);
  if (error instanceof UnauthorizedError) return failure(error.message, EXIT_CONFIG);
  if (error instanceof EncryptionKeyError || error instanceof UniversalKeyFileError) return failure(error.message);
  if (error instanceof DirectoryUnusableError)
    return failure(`${error.message}. Set DATA_DIR to a folder that this user can write to.`, EXIT_CONFIG);
  if (error instanceof DirectoryExposedError)
    return failure(
      `${error.message}. Give it to the user that runs this process (chown), or set DATA_DIR to another folder.`,
      EXIT_CONFIG,
    );
  if (error instanceof DatabaseUnusableError)
    return failure(error.message, error.isUnsuitable ? EXIT_CONFIG : undefined);
  if (error instanceof CopyRefusedError) return failure(error.message, EXIT_CONFIG);
  if (error instanceof CopyFailedError) return failure(error.message);
  if (error instanceof CopyInterruptedError) return failure(error.message, EXIT_INTERRUPTED);
  if (error instanceof DirectoryInUseError)
    return failure(`${error.message}. Is Switchboard already running? Stop it first, or set DATA_DIR or DATABASE_URL.`);
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code?.startsWith('ERR_PARSE_ARGS_')) return { text: error.message, exitCode: EXIT_USAGE, isUsage: true };
  // Database errors are wrapped in `DatabaseUnusableError`, so these two come from the server's port.
  if (syscall === 'listen' || syscall === 'getaddrinfo') return failure(describeListenFailure(error));
  return failure(error.stack ?? error.message);
}

/** Describes why a server can't listen. */
export function describeListenFailure(error: NodeJS.ErrnoException & { readonly port?: number }): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${error.port} is already in use by another program. Stop it, or set PORT to another number.`;
  return `Can't listen on HOST and PORT: ${error.message}`;
}

function failure(text: string, exitCode = 1): StartFailure {
  return { text, exitCode, isUsage: false };
}
