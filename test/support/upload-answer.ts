/** What the service says of an upload, or of what became of it. */
export interface UploadAnswer {
  readonly ok: boolean;
  readonly owner: string;
  readonly url: string;
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly expires_at: string;
  readonly error: { readonly code: string; readonly message: string };
}

/** The body of an answer; which of the fields are there is what the tests are about. */
export async function readUploadAnswer(answer: Response | Promise<Response>): Promise<UploadAnswer> {
  return (await (await answer).json()) as UploadAnswer;
}
