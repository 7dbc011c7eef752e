import type { JsonObject } from '../../../../lib/json/json.ts';
import type { ProviderTimeouts } from '../endpoint/endpoint.ts';

/** A Stable Diffusion WebUI (AUTOMATIC1111, Forge, SD.Next) that was started with `--api`. */
export interface StableDiffusionWebUiConfig {
  readonly kind: 'stable-diffusion-webui';
  /** Unique, lowercase; prefix of qualified model names. */
  readonly name: string;
  /** Everything before `/sdapi`: `http://127.0.0.1:7860`, `http://user:password@box:7860`. */
  readonly baseUrl: string;
  /** Empty, or `user:password` as in the WebUI's option `--api-auth`. Credentials in `baseUrl` take precedence. */
  readonly apiKeys: readonly string[];
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Side of the square that its models were trained on, in pixels. Unset: derived from the model's name. */
  readonly nativeSize?: number | undefined;
  /**
   * Overrides fields of every request, under the names of the WebUI's API: `steps`, `cfg_scale`, `sampler_name`,
   * `negative_prompt`, …
   */
  readonly parameters?: JsonObject | undefined;
  /** Share of first attempts among the providers of one model. Default 1. */
  readonly weight?: number | undefined;
  /** `totalMs` applies to one request, loading the model included. */
  readonly timeouts?: Partial<ProviderTimeouts> | undefined;
}
