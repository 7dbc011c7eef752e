import { ApiError, requestTagged, type Tagged } from './request.ts';
import { type Query, useLoaded } from './use-query.ts';

/** A resource with an `ETag`, which is changed only as it was read. */
export interface Resource<Body> extends Query<Body> {
  /**
   * Changes the resource. If it has changed since it was read, it is loaded again.
   * @throws ApiError
   */
  readonly change: (method: 'PATCH' | 'PUT' | 'POST' | 'DELETE', options?: ChangeOptions) => Promise<void>;
}

interface ChangeOptions {
  readonly body?: object;
  /** Route below that of the resource: `raise`. */
  readonly below?: string;
}

const CHANGED = 412;

/** Loads a resource. */
export function useResource<Body>(path: string): Resource<Body> {
  const { data, reload, setData, ...query } = useLoaded<Tagged<Body>>(path, getTagged);
  const tag = data?.tag;
  const change: Resource<Body>['change'] = async (method, { body, below } = {}) => {
    const address = below === undefined ? path : `${path}/${below}`;
    const headers = tag === undefined ? {} : { 'if-match': tag };
    try {
      const changed = await requestTagged<Body | undefined>(method, address, { headers, ...(body && { body }) });
      if (changed.body === undefined) reload();
      else setData({ body: changed.body, tag: changed.tag });
    } catch (error) {
      if (error instanceof ApiError && error.status === CHANGED) reload();
      throw error;
    }
  };
  return { ...query, data: data?.body, reload, change };
}

function getTagged<Body>(path: string, signal: AbortSignal): Promise<Tagged<Body>> {
  return requestTagged<Body>('GET', path, { signal });
}
