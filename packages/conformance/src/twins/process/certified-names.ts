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
 * Returns a function that is true for names for which a document's servers obtain a certificate. A handshake for such a
 * name is repeated after a load, because certificates arrive shortly after the listeners open. For other names a
 * failure is final.
 */
export function certifiedNames(document: string, tlsPort: number): (name: string) => boolean {
  const { apps } = JSON.parse(document) as Document_;
  const patterns: string[] = [];
  for (const { listen = [], routes = [] } of Object.values(apps?.http?.servers ?? {})) {
    if (!listen.some((address) => address.endsWith(`:${tlsPort}`))) {
      continue;
    }
    for (const { match } of routes) {
      // A route for any host obtains certificates on demand.
      const hosts = match?.flatMap(({ host = ["*"] }) => host) ?? ["*"];
      patterns.push(...hosts);
    }
  }
  return (name) => patterns.some((pattern) => pattern === "*" || covers(pattern, name));
}
