import { ApiError, requestTagged, type Tagged } from './request.ts';
import { useLoaded } from './use-query.ts';

export type Resource<Body> = ReturnType<typeof useResource<Body>>;

interface ChangeOptions {
  readonly body?: object;
  /** Route below that of the resource: `raise`. */
  readonly below?: string;
}

const CHANGED = 412;

/** Loads a resource with an `ETag`, which is changed only as it was read. */
export function useResource<Body>(path: string) {
  const { data, reload, setData, ...query } = useLoaded<Tagged<Body>>(path, getTagged);
  const tag = data?.tag;
  /**
   * Changes the resource. If it has changed since it was read, it is loaded again.
   * @throws ApiError
   */
  const change = async (
    method: 'PATCH' | 'PUT' | 'POST' | 'DELETE',
    { body, below }: ChangeOptions = {},
  ): Promise<void> => {
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
