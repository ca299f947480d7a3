interface Server {
  readonly listen?: readonly string[];
  readonly routes?: readonly { readonly match?: readonly { readonly host?: readonly string[] }[] }[];
}

interface Document_ {
  readonly apps?: { readonly http?: { readonly servers?: Readonly<Record<string, Server>> } };
}

const covers = (pattern: string, name: string): boolean =>
  pattern === name ||
  (pattern.startsWith("*.") && name.slice(name.indexOf(".")) === pattern.slice(1) && name.includes("."));

/**
 * Whether a document's servers obtain a certificate for a name. A handshake for such a name is tried again after a load, as
 * certificates come a moment later than the listeners; for any other name its failure is final.
 */
export function certifiedNames(document: string, tlsPort: number): (name: string) => boolean {
  const { apps } = JSON.parse(document) as Document_;
  const patterns: string[] = [];
  for (const { listen = [], routes = [] } of Object.values(apps?.http?.servers ?? {})) {
    if (!listen.some((address) => address.endsWith(`:${tlsPort}`))) {
      continue;
    }
    for (const { match } of routes) {
      // A route for any host obtains certificates when they are asked for.
      const hosts = match?.flatMap(({ host = ["*"] }) => host) ?? ["*"];
      patterns.push(...hosts);
    }
  }
  return (name) => patterns.some((pattern) => pattern === "*" || covers(pattern, name));
}
