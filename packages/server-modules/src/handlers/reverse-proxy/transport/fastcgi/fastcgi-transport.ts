import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Exchange } from "http-engine/exchange";
import { compileBytesTemplate, compileTemplate } from "http-engine/placeholders";
import { ServerError } from "server-core/errors";
import { configDuration } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { replaceAll } from "server-core/placeholders/machine-placeholders";
import { bytesOfText } from "server-core/uri/text-of-bytes";
import { z } from "zod";
import { nameLookups } from "../name-lookups.ts";
import { openSocket } from "../open-socket.ts";
import { ReadBuffer } from "../read-buffer.ts";
import type { Transport } from "../transport.ts";
import { clientOfExchange, clientOfServer } from "./cgi-client.ts";
import { cgiEnvironment } from "./cgi-environment.ts";
import { FastcgiCall } from "./fastcgi-call.ts";

/**
 * Default limit for connecting, in milliseconds. `fallbackDelayMs`: time in milliseconds after which the next address
 * of a host is tried in parallel.
 */
const defaultDialTimeoutMs = 3_000;
const fallbackDelayMs = 300;
/** Bytes of the read buffer that each connection reuses. A record with up to 65,528 bytes of content fits into it. */
const readBytes = 64 * 1024;

/**
 * Replaces the placeholders of a config text. For the server's own requests, only placeholders of the machine have
 * values.
 */
type Fill = (exchange: Exchange | undefined) => string;

/** Compiles a text. Values come from the exchange, or from the machine if there is none. */
function fillText(text: string): Fill {
  const template = compileTemplate(text);
  return (exchange) => (exchange === undefined ? replaceAll(text) : template(exchange));
}

/** Like `fillText`, but the result contains one character for each UTF-8 byte. */
function fillBytes(text: string): Fill {
  const template = compileBytesTemplate(text);
  return (exchange) => (exchange === undefined ? bytesOfText(replaceAll(text)) : template(exchange));
}

/**
 * FastCGI to upstreams such as PHP-FPM.
 * `{ "protocol": "fastcgi", "root": "/srv/php", "split_path": [".php"] }` is the transport that `php_fastcgi` creates,
 * without its routes.
 * Source: Caddy 2.11; the FastCGI specification 1.0
 */
export const fastcgiTransport = defineModule({
  id: "http.reverse_proxy.transport.fastcgi",
  config: z.strictObject({
    root: z
      .string()
      .nullish()
      .describe("Folder of the scripts ({http.vars.root}, or the working folder); placeholders allowed."),
    /**
     * Parts must be ASCII: they are compared without regard to case, and other letters have several lower-case forms.
     */
    split_path: z
      .array(z.string())
      .nullish()
      .describe("Parts of a path after which the rest is PATH_INFO: `.php`."),
    /**
     * The root is resolved for each request, so that a replaced link takes effect immediately. A missing root fails the
     * request.
     */
    resolve_root_symlink: z
      .boolean()
      .nullish()
      .describe("Whether the root is told with its symbolic links followed."),
    env: z.record(z.string(), z.string()).nullish().describe("More variables; placeholders allowed."),
    dial_timeout: configDuration().nullish().describe("Time to connect (3s)."),
    /** The larger of both timeouts limits the time without any read or write. */
    read_timeout: configDuration().nullish().describe("How long a connection may be silent; 0 for any (0)."),
    write_timeout: configDuration().nullish().describe("How long a write may wait; 0 for any (0)."),
    capture_stderr: z
      .boolean()
      .nullish()
      .describe("Whether what programs write to their standard error is logged as error."),
  }),
  provision(config, context): Transport {
    const root = fillText(config.root || "{http.vars.root}");
    const splitPath = (config.split_path ?? []).map((part) => {
      if (!/^[\x20-\x7e]+$/.test(part)) {
        throw new ServerError("MODULE_CONFIG", `split_path ${JSON.stringify(part)} is not ASCII`);
      }
      return part.toLowerCase();
    });
    const env = Object.entries(config.env ?? {}).map(
      ([name, value]) => [bytesOfText(name), fillBytes(value)] as const,
    );
    const limits = {
      readTimeoutMs: config.read_timeout ?? 0,
      writeTimeoutMs: config.write_timeout ?? 0,
      stderrLog: config.capture_stderr ? context.log : undefined,
    };
    const socketOptions = {
      dialTimeoutMs: config.dial_timeout || defaultDialTimeoutMs,
      fallbackDelayMs,
      probeIntervalMs: 0,
      localAddress: undefined,
      lookup: nameLookups.lookup,
      writeBufferBytes: 0,
    };
    return {
      needsLength: true,
      call(dial, request, receiver) {
        const { exchange, body } = request;
        const call = new FastcgiCall(receiver, limits);
        const folder = resolve(root(exchange) || ".");
        const length = body instanceof Uint8Array ? body.length : request.bodyLength;
        const parameters = cgiEnvironment(
          request,
          exchange === undefined ? clientOfServer(request) : clientOfExchange(exchange),
          {
            root: config.resolve_root_symlink ? realpathSync(folder) : folder,
            splitPath,
            env: new Map(env.map(([name, value]) => [name, value(exchange)])),
          },
          length,
        );
        call.cancelDial = openSocket(
          dial,
          socketOptions,
          { buffer: new ReadBuffer(readBytes) },
          (error, socket) => {
            call.cancelDial = undefined;
            if (socket === undefined) {
              call.fail(error ?? new Error("no connection"));
            } else {
              call.run(socket, request, parameters);
            }
          },
        );
        return call;
      },
    };
  },
});
