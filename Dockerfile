# syntax=docker/dockerfile:1
# Releases are built from the digest that this tag has on that day, which their provenance names.
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY simulator/package.json simulator/
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts
COPY . .
# Part of the version of images between releases.
ARG COMMIT=
RUN node scripts/build.ts /layout --with-packages --commit "${COMMIT}"

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Switchboard" \
      org.opencontainers.image.description="A self-hosted AI bot for Telegram, and the OpenAI-compatible service behind it." \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
# Nothing below /app is ever written: the container may run with --read-only and a tmpfs on /tmp.
RUN mkdir /data && chown node:node /data
COPY --from=build /layout/switchboard ./
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# The first start creates the database, which takes a minute on a small machine.
HEALTHCHECK --interval=15s --timeout=5s --start-period=90s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT||8080}/healthz`).then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# Node itself, so that signals reach it.
CMD ["node", "--require", "./check-node.cjs", "--max-semi-space-size=32", "main.js"]
