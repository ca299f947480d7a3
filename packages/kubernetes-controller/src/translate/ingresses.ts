import { messageOf } from "server-core/errors";
import { type Ingress, type IngressBackend, type IngressPath, idOf, keyOf } from "../cluster/kube-object.ts";
import { findBackend, isFault, proxyTo, respond } from "./backends.ts";
import { readCertificate, tagOf } from "./certificates.ts";
import { type IngressSettings, readAnnotations } from "./ingress-annotations.ts";
import { exactMatcher, isRegexp, literal, prefixMatcher, withoutEndSlash } from "./matchers.ts";
import type { Problem } from "./problems.ts";
import type { LoadedCertificate, SiteCertificates, SiteListener, SiteRoute } from "./site-listener.ts";
import type { Json, Snapshot } from "./snapshot.ts";

export interface IngressTranslation {
  readonly listeners: readonly SiteListener[];
  readonly certificates: ReadonlyMap<string, LoadedCertificate>;
  readonly problems: readonly Problem[];
  readonly served: readonly Ingress[];
}

/** Ports on which Ingresses are served. */
export interface IngressPorts {
  readonly http: number;
  readonly https: number;
}

/** One Ingress while it is translated. */
interface Draft {
  readonly ingress: Ingress;
  readonly settings: IngressSettings;
  readonly snapshot: Snapshot;
  readonly problem: (reason: string, message: string) => void;
}

/** A path of a rule, or a default backend in the form of a path. */
interface WantedPath {
  readonly host: string;
  readonly path: IngressPath;
  readonly isDefault: boolean;
}

function pathsOf({ spec }: Ingress): WantedPath[] {
  const backend = spec?.defaultBackend;
  const defaultFor = (host: string): WantedPath[] =>
    backend === undefined
      ? []
      : [{ host, path: { path: "/", pathType: "Prefix", backend }, isDefault: true }];
  const rules = (spec?.rules ?? []).flatMap(({ host = "", http }) => {
    const paths = http?.paths ?? [];
    const name = host.toLowerCase();
    return paths.length === 0
      ? defaultFor(name)
      : paths.map((path) => ({ host: name, path, isDefault: false }));
  });
  return [...rules, ...defaultFor("")];
}

function matcherOf({ path = "/", pathType }: IngressPath, { usesRegexp }: IngressSettings): Json {
  if (pathType === "Exact") {
    return exactMatcher(path);
  }
  // With use-regex, people write patterns with the type Prefix too.
  if (!usesRegexp || (pathType === "Prefix" && !/[()[\]{}|*+?^$\\]/.test(path))) {
    return prefixMatcher(path);
  }
  const pattern = `(?i)^${path.replace(/^\^/, "")}`;
  if (!isRegexp(pattern)) {
    throw new Error(`path ${path} is no regular expression`);
  }
  return { path_regexp: { name: "ingress", pattern } };
}

function backendHandler(draft: Draft, { service, resource }: IngressBackend): Json {
  if (service === undefined) {
    throw new Error(`a backend of kind ${resource?.kind ?? "unknown"} is not supported, only Services`);
  }
  const { ingress, snapshot, settings, problem } = draft;
  const port = service.port?.number ?? service.port?.name ?? "";
  const backend = findBackend(snapshot, `${ingress.metadata.namespace ?? ""}/${service.name}`, port);
  if (isFault(backend)) {
    problem("BackendNotFound", backend.message);
    return respond(503, "no such backend\n");
  }
  return proxyTo([{ backend, weight: 1 }], { protocol: settings.protocol });
}

function rewriteOf({ settings }: Draft, match: Json): Json[] {
  if (settings.rewriteTarget === undefined) {
    return [];
  }
  const target = literal(settings.rewriteTarget);
  const uri = "path_regexp" in match ? target.replace(/\$(\d)/g, "{http.regexp.ingress.$1}") : target;
  return [{ handler: "rewrite", uri: `${uri}{http.request.uri.prefixed_query}` }];
}

function routeOf(draft: Draft, wanted: WantedPath, place: number): SiteRoute {
  const { ingress } = draft;
  const match = matcherOf(wanted.path, draft.settings);
  const path = wanted.isDefault ? "" : withoutEndSlash(wanted.path.path ?? "/") || "/";
  return {
    source: idOf("Ingress", ingress),
    host: wanted.host,
    isOneLabel: true,
    rank: {
      pathKind: wanted.path.pathType === "Exact" ? "exact" : "name" in match ? "regexp" : "prefix",
      pathLength: path.length,
      ...{ hasMethod: false, headers: 0, queryParams: 0, place },
      created: ingress.metadata.creationTimestamp ?? "",
      name: keyOf(ingress),
    },
    match,
    handle: [...rewriteOf(draft, match), backendHandler(draft, wanted.path.backend)],
  };
}

/** A fault in one path leaves out that path only. */
function routesOf(draft: Draft): SiteRoute[] {
  return pathsOf(draft.ingress).flatMap((wanted, place) => {
    try {
      return [routeOf(draft, wanted, place)];
    } catch (error) {
      draft.problem(
        "InvalidPath",
        `${wanted.host}${wanted.path.path ?? "/"} is left out: ${messageOf(error)}`,
      );
      return [];
    }
  });
}

function certificatesOf(draft: Draft, loaded: Map<string, LoadedCertificate>): SiteCertificates[] {
  const { ingress, snapshot, problem } = draft;
  return (ingress.spec?.tls ?? []).flatMap(({ hosts = [], secretName = "" }) => {
    const names = hosts.map((host) => host.toLowerCase());
    if (secretName === "") {
      return names.length === 0 ? [] : [{ names, tags: [], isOneLabel: true }];
    }
    const key = `${ingress.metadata.namespace ?? ""}/${secretName}`;
    const secret = snapshot.secrets.get(key);
    const certificate = secret === undefined ? { message: "not found" } : readCertificate(secret);
    if ("message" in certificate) {
      problem("InvalidCertificate", `Secret ${key} of type kubernetes.io/tls: ${certificate.message}`);
      return [];
    }
    loaded.set(tagOf(key), certificate);
    return [{ names, tags: [tagOf(key)], isOneLabel: true }];
  });
}

/** True when the Ingress requests TLS for this host. */
function hasTls({ spec }: Ingress, host: string): boolean {
  const names = (spec?.tls ?? []).flatMap(({ hosts = [] }) => (hosts.length === 0 ? [host] : hosts));
  return names.some((name) => {
    const lower = name.toLowerCase();
    return lower === host || (lower.startsWith("*.") && host.slice(host.indexOf(".")) === lower.slice(1));
  });
}

function redirectOf(port: number): Json {
  const authority = port === 443 ? "{http.request.host}" : `{http.request.host}:${port}`;
  return {
    handler: "static_response",
    status_code: 308,
    headers: { Location: [`https://${authority}{http.request.uri}`] },
  };
}

/** @param ingresses those that this controller serves */
export function translateIngresses(
  snapshot: Snapshot,
  ingresses: readonly Ingress[],
  ports: IngressPorts,
): IngressTranslation {
  const problems: Problem[] = [];
  const loaded = new Map<string, LoadedCertificate>();
  const plain: SiteRoute[] = [];
  const secure: SiteRoute[] = [];
  const certificates: SiteCertificates[] = [];
  const served: Ingress[] = [];
  for (const ingress of ingresses) {
    const problem = (reason: string, message: string) =>
      void problems.push({ kind: "Ingress", object: ingress, reason, message });
    try {
      const draft = { ingress, snapshot, problem, settings: readAnnotations(ingress) };
      const routes = routesOf(draft);
      certificates.push(...certificatesOf(draft, loaded));
      for (const route of routes) {
        const isSecure = hasTls(ingress, route.host);
        const redirects = isSecure && draft.settings.redirectsToTls;
        plain.push(redirects ? { ...route, handle: [redirectOf(ports.https)] } : route);
        secure.push(...(isSecure ? [route] : []));
      }
      served.push(ingress);
    } catch (error) {
      problem("Rejected", messageOf(error));
    }
  }
  const listener = { address: "", host: "", isIsolated: false };
  const listeners: SiteListener[] = [];
  if (plain.length > 0) {
    listeners.push({ ...listener, port: ports.http, protocol: "HTTP", certificates: [], routes: plain });
  }
  if (secure.length > 0) {
    listeners.push({ ...listener, port: ports.https, protocol: "HTTPS", certificates, routes: secure });
  }
  return { listeners, certificates: loaded, problems, served };
}
