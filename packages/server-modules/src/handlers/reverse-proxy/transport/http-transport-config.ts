import { configCount, configDuration, configTimeout, inlineModule } from "server-core/modules/config-fields";
import { z } from "zod";
import { resolverSchema } from "./resolver.ts";
import { upstreamTlsSchema } from "./upstream-tls.ts";

/** Maximum number of bytes of a buffer, because each connection may use the full size. */
const maxBufferBytes = 64 * 1024 * 1024;
/** A size up to 64 MiB, in bytes; negative numbers count as 0. */
const bufferSchema = () =>
  z
    .int()
    .max(maxBufferBytes)
    .transform((value) => Math.max(0, value));

/**
 * Config of the transport `http`. Example over TLS with a private CA and at most 50 connections to each upstream:
 * ```json
 * {
 *   "protocol": "http",
 *   "tls": { "root_ca_pem_files": ["/etc/ca.pem"], "server_name": "app.internal" },
 *   "max_conns_per_host": 50,
 *   "keep_alive": { "idle_timeout": "90s" }
 * }
 * ```
 * Source: Caddy 2.11
 */
export const httpTransportSchema = z.strictObject({
  /** Default: the system's resolver, which also reads the hosts file. */
  resolver: resolverSchema.nullish().describe("Name servers for host names of upstreams (the system's)."),
  tls: upstreamTlsSchema.nullish().describe("Speaks TLS to upstreams; `{}` with all defaults."),
  keep_alive: z
    .strictObject({
      /** False: each request opens and closes its own connection. */
      enabled: z.boolean().nullish().describe("Whether connections are used again (true)."),
      probe_interval: configTimeout()
        .nullish()
        .describe("Time between probes of connections (30s; negative: none)."),
      /**
       * Counted over all threads. The thread whose connection exceeds the limit closes its oldest idle connections
       * after a second.
       */
      max_idle_conns: z
        .int()
        .nullish()
        .describe(
          "Idle connections in all, over all upstreams and threads; 0 for any number (0); negative: none is kept.",
        ),
      max_idle_conns_per_host: z
        .int()
        .nullish()
        .describe(
          "Idle connections for each upstream, over all threads (32 in each thread); negative: none is kept.",
        ),
      idle_timeout: configDuration().nullish().describe("How long a connection may be idle (2m)."),
    })
    .nullish()
    .describe("Connections that are kept."),
  /** The client gets the uncompressed body. A request with `Range` or `Accept-Encoding` is not changed. */
  compression: z
    .boolean()
    .nullish()
    .describe(
      "Asks upstreams for gzip where the client asked for no encoding, and unpacks what comes (true).",
    ),
  /** A tunnel and an HTTP/2 connection count as one connection each. At most 10,000 requests of a thread wait. */
  max_conns_per_host: configCount()
    .nullish()
    .describe(
      "Connections to each upstream, over all threads; requests wait for a free one. 0 for any number (0).",
    ),
  /**
   * v1 is a line of text, v2 is binary. Upstreams must expect this header, because it precedes everything else, even
   * TLS.
   */
  proxy_protocol: z
    .enum(["", "v1", "v2"])
    .nullish()
    .describe(
      "Tells upstreams the client's address by a PROXY protocol header; each request has its own connection then.",
    ),
  /** Example: `{ "from": "url", "url": "socks5://user:secret@proxy:1080" }`. */
  network_proxy: inlineModule("network_proxy", "from")
    .nullish()
    .describe(
      "Proxy that leads to upstreams, of HTTP or SOCKS 5: connections are tunnels through it, also those without TLS. Absent: HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment say; `from: none` for none.",
    ),
  forward_proxy_url: z
    .string()
    .nullish()
    .describe("Deprecated: as network_proxy {from: url}, which goes before it."),
  /**
   * Milliseconds for the name lookup and the dials of all addresses together. After a failed dial, a different upstream
   * may be tried.
   */
  dial_timeout: configDuration().nullish().describe("Time to connect (3s)."),
  /** Source: RFC 8305, "Happy Eyeballs" */
  dial_fallback_delay: configTimeout()
    .nullish()
    .describe(
      "Time until the next address of a host is tried too (300ms; negative: when the one before failed).",
    ),
  /** The time is counted from the last byte of the request. */
  response_header_timeout: configDuration()
    .nullish()
    .describe("Time for the response's head once the request is sent; 504 then. 0 for any (0)."),
  expect_continue_timeout: configDuration()
    .nullish()
    .describe(
      "How long a body waits for the upstream's 100 Continue where the client expects one (0: it is sent at once).",
    ),
  /** A longer head fails the request with 502. */
  max_response_header_size: configCount().nullish().describe("Bytes of a response's head (10 MiB)."),
  write_buffer_size: bufferSchema()
    .nullish()
    .describe(
      "Bytes of a request that may wait for a slow upstream before the client has to, over HTTP/1.1 (64 KiB).",
    ),
  read_buffer_size: bufferSchema()
    .nullish()
    .describe(
      "Bytes of each read, over HTTP/1.1 without TLS (16 KiB, and 512 KiB while more comes). Records of TLS and frames of HTTP/2 have sizes of their own.",
    ),
  read_timeout: configDuration()
    .nullish()
    .describe("How long a connection may be silent under a request; 0 for any (0)."),
  write_timeout: configDuration().nullish().describe("How long a write may wait; 0 for any (0)."),
  /** With TLS the upstream chooses the version. HTTP/1.1 is always offered. */
  versions: z
    .array(
      z.enum(["1.1", "2", "h2c"], {
        error: (issue) => `unsupported HTTP version ${JSON.stringify(issue.input)}: one of 1.1, 2, h2c`,
      }),
    )
    .nullish()
    .describe(
      "Protocols to speak: `2` is HTTP/2 over TLS where the upstream has it, `h2c` HTTP/2 without TLS, too ([1.1, 2]).",
    ),
  local_address: z.string().nullish().describe("Own address to connect from."),
});

/** The config after validation; durations are milliseconds. */
export type HttpTransportConfig = z.infer<typeof httpTransportSchema>;
