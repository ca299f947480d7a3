import { readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { join } from "node:path";
import { StartError } from "lifecycle/errors";

/** Address of a container engine's API, in the form that Node's clients take. */
export interface EngineAddress {
  /** Address from the user, for messages. */
  readonly text: string;
  /** True when requests use HTTPS. */
  readonly isTls: boolean;
  /** Socket path, or host and port, and certificates. */
  readonly options: Pick<
    RequestOptions,
    "socketPath" | "host" | "port" | "ca" | "cert" | "key" | "rejectUnauthorized"
  >;
}

/** Reads the same three certificate files as Docker's clients. @throws StartError */
function readCertificates(folder: string, verifies: boolean): EngineAddress["options"] {
  const read = (name: string) => {
    try {
      return readFileSync(join(folder, name));
    } catch (error) {
      throw new StartError(`cannot read ${join(folder, name)} of the engine's certificates`, {
        cause: error,
      });
    }
  };
  return { ca: read("ca.pem"), cert: read("cert.pem"), key: read("key.pem"), rejectUnauthorized: verifies };
}

/**
 * @param text address such as `unix:///var/run/docker.sock`, a path, or `tcp://host:2375`
 * @param certificates folder with `ca.pem`, `cert.pem` and `key.pem`; "" for no TLS
 * @param verifies true: the engine's certificate is checked against `ca.pem`
 * @throws StartError
 */
export function readEngineAddress(text: string, certificates: string, verifies: boolean): EngineAddress {
  const path = /^(?:unix:\/\/)?(\/.+)$/.exec(text)?.[1];
  if (path !== undefined) {
    return { text, isTls: false, options: { socketPath: path } };
  }
  const url = URL.parse(text);
  if (url === null || !["tcp:", "http:", "https:"].includes(url.protocol) || url.hostname === "") {
    throw new StartError(
      `${JSON.stringify(text)} is no address of an engine for containers: unix:///path or tcp://host:port`,
    );
  }
  const isTls = certificates !== "" || url.protocol === "https:";
  const port = Number(url.port) || (isTls ? 2376 : 2375);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const tls = certificates === "" ? {} : readCertificates(certificates, verifies);
  return { text, isTls, options: { host, port, ...tls } };
}
