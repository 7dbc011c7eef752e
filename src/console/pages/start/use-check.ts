import { useRef, useState } from 'preact/hooks';
import { request } from '../../api/request.ts';

/** A value and what the service has answered about it. */
interface Checked<Answer> {
  readonly value: string;
  readonly answer: Answer;
}

/** A check of the service, with its latest result. */
export interface Check<Answer> {
  /** Undefined while the present value is not checked. */
  readonly answer: Answer | undefined;
  /** The value, if it has passed; otherwise empty. */
  readonly passed: string;
  /** @throws ApiError */
  readonly run: (value: string) => Promise<void>;
  /** Drops the result, also that of a running check. */
  readonly forget: () => void;
}

/** Checks values by a route below `/api/setup`. @param toBody returns the body of the request. */
export function useCheck<Answer extends { readonly ok: boolean }>(
  route: string,
  toBody: (value: string) => object,
): Check<Answer> {
  const [checked, setChecked] = useState<Checked<Answer>>();
  const forgotten = useRef(0);
  return {
    answer: checked?.answer,
    passed: checked?.answer.ok ? checked.value : '',
    async run(value) {
      const before = forgotten.current;
      const answer = await request<Answer>('POST', `api/setup/${route}`, { body: toBody(value) });
      if (before === forgotten.current) setChecked({ value, answer });
    },
    forget() {
      forgotten.current += 1;
      setChecked(undefined);
    },
  };
}
