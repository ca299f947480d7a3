import { messageOf, ServerError } from "../../../core/errors.ts";
import type { Upstream } from "./upstream.ts";

/** How far a try came before it failed: decides whether another may follow. */
export type ProxyStage =
  | "dial" // nothing was sent
  | "sent" // the request went out at least in part, no response began
  | "response"; // the response began

/** A try that failed. */
export class ProxyFailure extends ServerError {
  readonly stage: ProxyStage;

  constructor(stage: ProxyStage, upstream: Upstream, cause: unknown) {
    super("PROXY_UPSTREAM", `upstream ${upstream.address}: ${messageOf(cause)}`, { cause });
    this.stage = stage;
  }
}

const dialCodes = new Set(["UND_ERR_CONNECT_TIMEOUT", "ENOTFOUND", "EAI_AGAIN"]);

/** Whether an error of a client means that no connection was made. */
export function isDialError(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.every(isDialError);
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  return syscall === "connect" || syscall === "getaddrinfo" || (code !== undefined && dialCodes.has(code));
}
