import type { FastifyInstance } from 'fastify';
import type { HttpServices } from '../services.ts';
import { addDeletion } from './deletion.ts';
import { addDownload } from './download/download.ts';
import { addUpload } from './upload/upload.ts';

/** Adds all routes under `/upload`, `/file` and `/delete`. Must be registered in a context of its own. */
export function addCloudApi(server: FastifyInstance, services: HttpServices): void {
  server.register((context, _options, done) => {
    addUpload(context, services);
    done();
  });
  server.register((context, _options, done) => {
    addDownload(context, services);
    addDeletion(context, services);
    done();
  });
}
