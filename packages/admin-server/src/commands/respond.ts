import { fstatSync } from "node:fs";
import { StartError } from "lifecycle/errors";
import { messageOf } from "server-core/errors";
import {
  formatNetworkAddress,
  isDescriptorNetwork,
  isUnixNetwork,
  parseNetworkAddress,
} from "serverfile/addresses/network-address";
import { defineCommand } from "../cli/command.ts";
import { commandLineConfig, headersFrom, httpServerLimits } from "../cli/command-line-config.ts";
import { debugOption, runOptions, runSettings } from "./run-options.ts";

/** Maximum number of bytes of a body from standard input. A longer body fails the command. */
const maxBodyBytes = 16 * 1024 * 1024;
/** Maximum number of ports in a range, because each port needs a separate server. */
const maxServers = 1_000;

/** Option values that determine the config. */
interface RespondOptions {
  readonly listen: string;
  readonly status: number | undefined;
  readonly header: readonly string[];
  readonly body: string;
  readonly "access-log": boolean;
  readonly debug: boolean;
}

/** Splits a port range into one address for each port. @throws StartError */
function expandAddress(listen: string): { readonly address: string; readonly port: number }[] {
  try {
    const range = parseNetworkAddress(listen);
    if (isUnixNetwork(range.network) || isDescriptorNetwork(range.network)) {
      return [{ address: listen, port: 0 }];
    }
    const count = range.endPort - range.startPort + 1;
    if (count > maxServers) {
      throw new Error(`${count} ports are over the limit of ${maxServers}`);
    }
    return Array.from({ length: count }, (_, index) => {
      const port = range.startPort + index;
      return { address: formatNetworkAddress({ ...range, startPort: port, endPort: port }), port };
    });
  } catch (error) {
    throw new StartError(`--listen ${listen}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Determines status and body: options take precedence; an operand of three digits is the status, any other operand the
 * body.
 * | command line | status | body |
 * |---|---|---|
 * | `respond 503` | 503 | |
 * | `respond hello` | 200 | `hello` |
 * | `respond --status 404 hello` | 404 | `hello` |
 * | `respond --body a 503` | 503 | `a` |
 * @throws StartError
 */
function answerOf(options: RespondOptions, operand: string | undefined): { status: number; body: string } {
  if (operand !== undefined && options.status !== undefined && options.body !== "") {
    throw new StartError(`respond: "${operand}" is overridden by --status and --body`);
  }
  const isStatus = options.status === undefined && /^[1-9]\d\d$/.test(operand ?? "");
  return {
    status: isStatus ? Number(operand) : (options.status ?? 200),
    body: options.body || (isStatus ? "" : (operand ?? "")),
  };
}

/**
 * Builds the configuration from options: a server for each port.
 * @param body template with .N, .Port and .Address
 * Source: Caddy 2.11
 * @throws StartError, ServerError
 */
export async function respondConfig(options: RespondOptions, status: number, body: string) {
  const { renderText } = await import("server-modules/handlers/templates/render-text");
  const headers = headersFrom("header", options.header);
  const servers: Record<string, object> = {};
  for (const [index, { address, port }] of expandAddress(options.listen).entries()) {
    let text: string;
    try {
      text = await renderText(body, { N: index, Port: port, Address: address });
    } catch (error) {
      throw new StartError(`respond: the body is no template: ${messageOf(error)}`, { cause: error });
    }
    servers[`static${index}`] = {
      listen: [address],
      ...httpServerLimits,
      routes: [
        {
          handle: [
            {
              handler: "static_response",
              status_code: status,
              ...(Object.keys(headers).length === 0 ? {} : { headers }),
              ...(text === "" ? {} : { body: text }),
            },
          ],
        },
      ],
      automatic_https: { disable_redirects: true },
      ...(options["access-log"] ? { logs: {} } : {}),
    };
  }
  return commandLineConfig({ http: { servers } }, options.debug);
}

/** Reads piped input; "" when standard input is a terminal or empty. @throws StartError */
async function readPipe(): Promise<string> {
  const input = fstatSync(0);
  if (!input.isFIFO() && !input.isFile()) {
    return "";
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) {
      throw new StartError(`respond: the body is over the limit of ${maxBodyBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * `server respond`. Exit codes are the same as for `run`; 1 for an operand that contradicts options.
 * Source: Caddy 2.11
 */
export const respond = defineCommand({
  name: "respond",
  summary: "Answer every request alike, for development and tests",
  description: [
    "Listens on a port that the system chooses, unless --listen says otherwise, and prints its addresses. A range of ports makes a server for each of them. There is no admin endpoint.",
    "The operand is a status when it has three digits, else the body; without an operand and without --body, the body is what is piped in. The body may be a template: {{.N}} is the number of the server in a range, {{.Port}} its port, {{.Address}} its address. A body that contains {{ for itself writes {{`{{`}}.",
  ],
  options: {
    listen: {
      kind: "text",
      short: "l",
      value: "address",
      default: ":0",
      about: "Address to listen on, with a port or a range of ports",
    },
    status: {
      kind: "number",
      short: "s",
      value: "number",
      range: [100, 999],
      about: "Status of the response",
      defaultText: "200",
    },
    header: {
      kind: "lines",
      short: "H",
      value: "Field: value",
      about: "Sets a header field of the response",
    },
    body: { kind: "text", short: "b", value: "text", about: "Body of the response" },
    "access-log": { kind: "switch", about: "Logs every request" },
    debug: debugOption,
    ...runOptions,
  },
  operands: { usage: "[status|body]", most: 1 },
  examples: [
    { line: 'server respond "hello"', about: "Answers hello on any free port." },
    {
      line: 'server respond --listen :9001-9003 "server {{.N}} on {{.Port}}"',
      about: "Three upstreams to try a proxy with.",
    },
    { line: "server respond --listen :8080 503", about: "Is down." },
  ],
  async run(options, [operand]) {
    const { status, body } = answerOf(options, operand);
    const config = await respondConfig(options, status, body || (await readPipe()));
    const { serveConfig } = await import("../cli/serve-config.ts");
    return serveConfig("respond", config, runSettings(options), (server) => {
      for (const address of server.services.ports.list()) {
        process.stdout.write(`Server address: ${address}\n`);
      }
    });
  },
});
