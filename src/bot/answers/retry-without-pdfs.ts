import type { ToolAnswerEvent, ToolAnswerStream } from '../../core/generation/index.ts';
import { ProviderRejectedError } from '../../core/models/index.ts';

interface Attempts {
  /** Starts the answer. */
  readonly open: (options: { readonly sendsPdfs: boolean }) => ToolAnswerStream;
  /** Returns whether the request contains PDF files or images of their pages. */
  readonly hasPdfs: () => boolean;
  readonly onRetry: (error: ProviderRejectedError) => void;
}

/** Starts an answer again with the text of its PDF files if the host refuses the request that contains them. */
export function retryWithoutPdfs({ open, hasPdfs, onRetry }: Attempts): ToolAnswerStream {
  let stream = open({ sendsPdfs: true });

  async function* iterate(): AsyncGenerator<ToolAnswerEvent, void, undefined> {
    let hasBegun = false;
    try {
      for await (const event of stream) {
        hasBegun = true;
        yield event;
      }
    } catch (error) {
      if (hasBegun || !hasPdfs() || !(error instanceof ProviderRejectedError)) throw error;
      onRetry(error);
      stream = open({ sendsPdfs: false });
      yield* stream;
    }
  }

  return {
    get outcome() {
      return stream.outcome;
    },
    [Symbol.asyncIterator]: iterate,
  };
}
