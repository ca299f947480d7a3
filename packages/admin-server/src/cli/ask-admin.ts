import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { StartError } from "lifecycle/errors";
import { adminAddressOf, parseAdminAddress } from "server-core/admin/admin-address";
import { messageOf } from "server-core/errors";
import { isJsonObject, type JsonValue, member } from "server-core/json/json-value";
import { parseJson } from "server-core/json/parse-json";
import { formatListenAddress } from "server-core/listen/listen-address";
import { readWithin } from "server-core/net/read-within";

/** Maximum number of bytes of a response. A longer response fails the command. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** The member `admin.listen` of a configuration; undefined if it is missing. @throws ServerError for invalid JSON */
export function adminAddressIn(json: Uint8Array): string | undefined {
  const config: JsonValue = parseJson(json);
  const admin = isJsonObject(config) ? member(config, "admin") : undefined;
  const listen = isJsonObject(admin) ? member(admin, "listen") : undefined;
  return typeof listen === "string" && listen !== "" ? listen : undefined;
}

/**
 * Address of a running server's admin endpoint: from the option, or else from the configuration, or else from the
 * environment.
 * @param config file with `admin.listen`; "": no file
 * @throws StartError, ServerError
 */
export async function findAdminAddress(address: string, config: string, adapter: string): Promise<string> {
  if (address !== "") {
    return address;
  }
  if (config !== "") {
    const { readConfig } = await import("./read-config.ts");
    const configured = adminAddressIn((await readConfig(config, adapter)).json);
    if (configured !== undefined) {
      return configured;
    }
  }
  return adminAddressOf(process.env);
}

/** A request of a command to a running server. */
export interface AdminQuestion {
  readonly method: string;
  /** Path of the request, with its query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface AdminAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * The reason in a failed response; the admin API sends `{"error": "…"}`. Another text, for example from a proxy in
 * between, is returned unchanged.
 */
function reasonIn(body: Buffer): string {
  try {
    const answer: JsonValue = parseJson(body);
    const error = isJsonObject(answer) ? member(answer, "error") : undefined;
    return typeof error === "string" ? error : body.toString().trim();
  } catch {
    return body.toString().trim();
  }
}

/**
 * Sends a request to the admin endpoint of a running server. The header `Origin` is the endpoint's address, so that an
 * endpoint with `enforce_origin` accepts commands.
 * @param where `host:port` or `unix//path`; `fd/3` is refused, because it is open only in the server's process
 * @returns the response, whatever its status. @throws StartError when the endpoint does not respond
 */
export async function sendToAdmin(where: string, question: AdminQuestion): Promise<AdminAnswer> {
  const address = parseAdminAddress(where);
  if (address.network === "fd") {
    throw new StartError(`cannot ask ${where} from another process`);
  }
  const host = address.network === "tcp" ? address.host || "localhost" : "";
  const target = address.network === "unix" ? { socketPath: address.path } : { host, port: address.port };
  // The configured address, even without a host: the endpoint accepts exactly this origin.
  const origin = address.network === "tcp" ? { Origin: `http://${formatListenAddress(address)}` } : {};
  const { method, path, headers, body } = question;
  let response: IncomingMessage;
  let answer: Buffer;
  try {
    const request = httpRequest({ ...target, method, path, headers: { ...origin, ...headers } });
    request.end(body);
    [response] = (await once(request, "response")) as [IncomingMessage];
    answer = await readWithin(response, maxAnswerBytes);
  } catch (error) {
    throw new StartError(`no server answers on ${where}: ${messageOf(error)}`, { cause: error });
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: answer };
}

/**
 * Like `sendToAdmin`, for a request that must succeed.
 * @throws StartError with the reason, when the endpoint does not respond or responds with an error
 */
export async function askAdmin(where: string, question: AdminQuestion): Promise<AdminAnswer> {
  const answer = await sendToAdmin(where, question);
  if (answer.status < 200 || answer.status > 299) {
    throw new StartError(`the server on ${where} answered ${answer.status}: ${reasonIn(answer.body)}`);
  }
  return answer;
}
