import { type ConnectionLimits, defaultMaxWriteChunk } from "./connection-limits.ts";
import type { HttpServerConfig } from "./http-config.ts";

const defaultKeepAliveMs = 15_000;
const defaultKeepAliveCount = 9;

/**
 * Default size limit of header fields. Caddy allows `headerSlackBytes` more than every limit, even a
 * configured limit.
 */
const defaultHeaderBytes = 16 * 1024;
const headerSlackBytes = 4 * 1024;

/** @returns 0 for no limit */
function timeout(configuredMs: number | null | undefined, defaultMs: number): number {
  return Math.max(0, configuredMs || defaultMs);
}

/** @returns the limits from a server's config. Defaults are the defaults of Caddy 2.11 */
export function connectionLimits(config: HttpServerConfig): ConnectionLimits {
  const keepAliveIntervalMs = timeout(config.keepalive_interval, defaultKeepAliveMs);
  return {
    readHeaderTimeoutMs: timeout(config.read_header_timeout, 60_000),
    readTimeoutMs: config.read_timeout ?? 0,
    readIdleTimeoutMs: timeout(config.read_idle_timeout, 60_000),
    readMinRate: config.read_min_rate ?? 0,
    writeTimeoutMs: config.write_timeout ?? 0,
    writeIdleTimeoutMs: timeout(config.write_idle_timeout, 60_000),
    maxWriteChunk: config.max_write_chunk || defaultMaxWriteChunk,
    writeMinRate: config.write_min_rate ?? 0,
    idleTimeoutMs: timeout(config.idle_timeout, 300_000),
    keepAliveMs: keepAliveIntervalMs === 0 ? 0 : config.keepalive_idle || keepAliveIntervalMs,
    keepAliveIntervalMs,
    keepAliveCount: config.keepalive_count || defaultKeepAliveCount,
    maxHeaderBytes: (config.max_header_bytes || defaultHeaderBytes) + headerSlackBytes,
  };
}
