import { ServerError } from "server-core/errors";
import { lowerCase } from "server-core/go/lower-case";
import { cleanPath } from "server-core/uri/clean-path";
import { authorityForm, RequestTarget } from "server-core/uri/request-target";

/** Length limit of a host, in characters: the limit of a DNS name. */
const maxHostLength = 255;
/** A name of only dots and a port does not name a host. */
const nameless = /^\.+(?::\d*)?$/;

/** @throws ServerError HTTP_BAD_REQUEST */
export function checkHost(hostport: string, version: string): void {
  // HTTP/1.0 and HTTP/2 allow requests without a host.
  const isNameless = hostport === "" ? version === "1.1" : nameless.test(hostport);
  if (isNameless) {
    throw new ServerError("HTTP_BAD_REQUEST", "the request names no host");
  }
  const isMalformed = /[^\x21-\x7e]|[/\\?#@,<>"]/.test(hostport) || !authorityForm.test(hostport);
  if (hostport.length > maxHostLength || isMalformed) {
    throw new ServerError("HTTP_BAD_REQUEST", `malformed Host header ${JSON.stringify(hostport)}`);
  }
}

/** The host in lower case, without port and brackets. */
function bareHost(hostport: string): string {
  const match = hostport.startsWith("[") ? /^\[(.*)\](?::\d*)?$/.exec(hostport) : null;
  return (match?.[1] ?? hostport.replace(/:\d*$/, "")).toLowerCase();
}

/**
 * Host, target and path of a server's last request, checked and parsed. Most consecutive requests have the same host,
 * and many have the same target; for them the work is done only once. Each server has one memo.
 */
export class RequestMemo {
  /** The last host that {@link checkHost} accepted; "" before the first. */
  #goodHost = "";
  /** The last target as sent, and its parsed form. */
  #sent = "";
  #target: RequestTarget | undefined;
  /** The last host with its port; `#host` is the same host without the port. */
  #hostport = "";
  #host = "";
  /** The last path that was compared with patterns; `#comparedPath` is its form for the comparison. */
  #path = "";
  #comparedPath = "";

  /** @throws ServerError HTTP_BAD_REQUEST */
  checkHost(hostport: string, version: string): void {
    // An empty host is always checked, because only some versions allow it.
    if (hostport !== this.#goodHost || hostport === "") {
      checkHost(hostport, version);
      this.#goodHost = hostport;
    }
  }

  /** @throws ServerError HTTP_BAD_REQUEST */
  targetOf(sent: string): RequestTarget {
    if (this.#target === undefined || sent !== this.#sent) {
      const target = RequestTarget.parse(sent);
      if (typeof target === "string") {
        throw new ServerError("HTTP_BAD_REQUEST", target);
      }
      this.#target = target;
      this.#sent = sent;
    }
    return this.#target;
  }

  /** The host without port and brackets, in lower case. */
  bareHost(hostport: string): string {
    if (hostport !== this.#hostport) {
      this.#host = bareHost(hostport);
      this.#hostport = hostport;
    }
    return this.#host;
  }

  /** The form of a path that is compared with patterns: cleaned, in lower case. */
  comparedPath(path: string): string {
    if (path !== this.#path) {
      this.#comparedPath = lowerCase(cleanPath(path));
      this.#path = path;
    }
    return this.#comparedPath;
  }
}
