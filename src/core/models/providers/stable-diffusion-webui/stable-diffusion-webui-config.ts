import type { JsonObject } from '../../../../lib/json.ts';
import type { ProviderTimeouts } from '../openai-compatible/openai-compatible-config.ts';

/** A Stable Diffusion WebUI (AUTOMATIC1111, Forge, SD.Next) that was started with `--api`. */
export interface StableDiffusionWebUiConfig {
  readonly kind: 'stable-diffusion-webui';
  /** Unique, lowercase; qualifies model names. */
  readonly name: string;
  /** Everything before `/sdapi`: `http://127.0.0.1:7860`, `http://user:password@box:7860`. */
  readonly baseUrl: string;
  /** Empty, or `user:password` as in its option `--api-auth`; one in the address goes before it. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The side of the square that its models draw best, pixels. Unset: judged by the model's name. */
  readonly nativeSize?: number | undefined;
  /** Goes over what is sent with every order, in the words of its API: `steps`, `cfg_scale`, `sampler_name`, `negative_prompt`, … */
  readonly parameters?: JsonObject | undefined;
  /** Share of first tries among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  /** `totalMs` is for one order, loading the model included. */
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}
