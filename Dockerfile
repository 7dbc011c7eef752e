# syntax=docker/dockerfile:1
# The packages that run, and nothing that builds: there is no build step.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY simulator/package.json simulator/
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts

FROM node:24-slim
LABEL org.opencontainers.image.title="Switchboard" \
      org.opencontainers.image.description="A self-hosted AI bot for Telegram, and the OpenAI-compatible service behind it." \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
# Nothing below /app is ever written: the container may run with --read-only and a tmpfs on /tmp.
RUN mkdir /data && chown node:node /data
COPY --from=packages /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY drizzle ./drizzle
COPY simulator/package.json simulator/LICENSE ./simulator/
COPY simulator/src ./simulator/src
COPY demo ./demo
COPY src ./src
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT||8080}/healthz`).then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
# Node itself, so that signals reach it.
CMD ["node", "--require", "./src/check-node.cjs", "--max-semi-space-size=32", "src/main.ts"]
