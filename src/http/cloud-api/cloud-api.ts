import type { FastifyInstance } from 'fastify';
import type { CloudApiDeps } from './cloud-api-deps.ts';
import { addDeletion } from './deletion.ts';
import { addDownload } from './download.ts';
import { addUpload } from './upload.ts';

/** Adds all routes under `/upload`, `/file` and `/delete`. Must be registered in a context of its own. */
export function addCloudApi(server: FastifyInstance, deps: CloudApiDeps): void {
  server.register((context, _options, done) => {
    addUpload(context, deps);
    done();
  });
  server.register((context, _options, done) => {
    addDownload(context, deps);
    addDeletion(context, deps);
    done();
  });
}
