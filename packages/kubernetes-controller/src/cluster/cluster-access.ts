// Finds the API server and the identity for requests: in a pod's service account, or in a kubeconfig file.

import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { StartError } from "lifecycle/errors";
import { messageOf } from "server-core/errors";

/** The API server, and the identity for requests to it. */
export interface ClusterAccess {
  /** Base URL without a slash at its end. */
  readonly server: string;
  /** Certificates of authorities in PEM; undefined: those of the system. */
  readonly ca?: string | Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
  /** Name in the server's certificate, when the URL has another one. */
  readonly serverName?: string | undefined;
  readonly skipsVerification: boolean;
  /** The present bearer token; undefined: none. Called before each request, because tokens change. */
  token(): Promise<string | undefined>;
}

/** Where Kubernetes mounts the service account of a pod. */
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Milliseconds for which a token is kept. Kubernetes replaces the file some minutes before the token expires. */
const tokenMs = 60_000;

/** Maximum number of bytes of a kubeconfig, a token or a certificate. */
const maxFileBytes = 1024 * 1024;

/** @throws StartError for an unreadable or oversized file */
async function read(path: string, what: string): Promise<Buffer> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > maxFileBytes) {
      throw new Error(`longer than ${maxFileBytes} bytes`);
    }
    return bytes;
  } catch (error) {
    throw new StartError(`${what} ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** A token in a file, which is read again once a minute. */
function tokenOf(path: string): () => Promise<string> {
  let token = "";
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - readAt > tokenMs) {
      token = (await read(path, "token")).toString().trim();
      readAt = performance.now();
    }
    return token;
  };
}

/** Access of a pod. @throws StartError outside of a pod */
export async function accessOfPod(
  environment: Readonly<Record<string, string | undefined>>,
  folder = accountFolder,
): Promise<ClusterAccess> {
  const host = environment.KUBERNETES_SERVICE_HOST ?? "";
  const port = environment.KUBERNETES_SERVICE_PORT ?? "443";
  if (host === "") {
    throw new StartError(
      "KUBERNETES_SERVICE_HOST is not set: outside of a pod, name a file with --kubeconfig",
    );
  }
  const token = tokenOf(join(folder, "token"));
  await token();
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    ca: await read(join(folder, "ca.crt"), "authority"),
    skipsVerification: false,
    token,
  };
}

interface Named {
  readonly name?: string;
}

interface ClusterEntry {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
}

interface UserEntry {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly exec?: object;
  readonly "auth-provider"?: object;
  readonly username?: string;
}

interface KubeConfig {
  readonly "current-context"?: string;
  readonly contexts?: readonly (Named & {
    readonly context?: { readonly cluster?: string; readonly user?: string };
  })[];
  readonly clusters?: readonly (Named & { readonly cluster?: ClusterEntry })[];
  readonly users?: readonly (Named & { readonly user?: UserEntry })[];
}

/** The token of a user. @throws StartError for a kind of user that is not known */
function tokenOfUser(user: UserEntry, folder: string): () => Promise<string | undefined> {
  const unknown = (["exec", "auth-provider", "username"] as const).find((field) => user[field] !== undefined);
  if (unknown !== undefined) {
    throw new StartError(
      `kubeconfig: users with ${unknown} are not supported: use a token or a client certificate`,
    );
  }
  return user.tokenFile === undefined ? async () => user.token : tokenOf(resolve(folder, user.tokenFile));
}

/** @param context name of a context; "": the current one. @throws StartError for a faulty file */
export async function accessOfFile(path: string, context: string): Promise<ClusterAccess> {
  const { parse } = await import("yaml");
  const text = (await read(path, "kubeconfig")).toString();
  let config: KubeConfig;
  try {
    config = (parse(text) ?? {}) as KubeConfig;
  } catch (error) {
    throw new StartError(`kubeconfig ${path}: ${messageOf(error)}`, { cause: error });
  }
  const name = context || (config["current-context"] ?? "");
  const found = config.contexts?.find((one) => one.name === name)?.context;
  const cluster = config.clusters?.find((one) => one.name === found?.cluster)?.cluster;
  if (found === undefined || cluster?.server === undefined) {
    throw new StartError(
      `kubeconfig ${path}: no context ${JSON.stringify(name)} with a cluster and its server`,
    );
  }
  const user = config.users?.find((one) => one.name === found.user)?.user ?? {};
  const folder = dirname(path);
  const material = async (data: string | undefined, file: string | undefined) => {
    if (data !== undefined) {
      return Buffer.from(data, "base64");
    }
    return file === undefined ? undefined : await read(resolve(folder, file), "kubeconfig:");
  };
  return {
    server: cluster.server.replace(/\/+$/, ""),
    ca: await material(cluster["certificate-authority-data"], cluster["certificate-authority"]),
    cert: await material(user["client-certificate-data"], user["client-certificate"]),
    key: await material(user["client-key-data"], user["client-key"]),
    serverName: cluster["tls-server-name"],
    skipsVerification: cluster["insecure-skip-tls-verify"] === true,
    token: tokenOfUser(user, folder),
  };
}

/** A pod's own access, unless a file is named or this process runs in no pod. @throws StartError */
export function findAccess(
  file: string,
  context: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ClusterAccess> {
  if (file === "" && environment.KUBERNETES_SERVICE_HOST) {
    return accessOfPod(environment);
  }
  const usual = environment.KUBECONFIG?.split(":")[0] || join(homedir(), ".kube", "config");
  return accessOfFile(file || usual, context);
}
