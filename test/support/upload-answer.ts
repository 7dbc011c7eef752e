/** Response of the service to an upload, or about an upload. */
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

/** Reads the body of a response. The tests check which of the fields are present. */
export async function readUploadAnswer(answer: Response | Promise<Response>): Promise<UploadAnswer> {
  return (await (await answer).json()) as UploadAnswer;
}
