export interface NavigationGroup {
  readonly title: string;
  /** Paths below docs/. A name that ends in `/` means all pages in the folder that no other entry names. */
  readonly pages: readonly string[];
}

/**
 * The navigation of every page, in this order. A page without an entry is under “More”, at the
 * end.
 */
export const navigation: readonly NavigationGroup[] = [
  { title: "Start", pages: ["index.md", "quick-start.md", "concepts.md", "first-span.md"] },
  {
    title: "Tracing: how to",
    pages: [
      "ui.md",
      "query.md",
      "traceql.md",
      "grafana.md",
      "objectives.md",
      "sampling.md",
      "tail-sampling.md",
      "privacy.md",
      "quotas.md",
      "deletion.md",
      "access.md",
      "tracing-command.md",
      "assistants.md",
    ],
  },
  {
    title: "Web server: how to",
    pages: [
      "serverfile.md",
      "admin-api.md",
      "console.md",
      "handlers.md",
      "reverse-proxy.md",
      "https.md",
      "layer4.md",
      "dynamic-dns.md",
      "plug-ins.md",
      "oidc.md",
      "events.md",
      "command-line.md",
    ],
  },
  {
    title: "Run it",
    pages: [
      "compose.md",
      "container-labels.md",
      "kubernetes.md",
      "kubernetes-controller.md",
      "systemd.md",
      "collector-fleet.md",
      "scale.md",
      "cold-storage.md",
      "security.md",
      "observability.md",
      "release.md",
    ],
  },
  { title: "The processes", pages: ["processes.md", "processes/"] },
  {
    title: "Coming from",
    pages: ["migration-jaeger.md", "migration-tempo.md", "migration-caddy.md", "comparison.md"],
  },
  {
    title: "Differences",
    pages: [
      "known-differences.md",
      "known-admin-differences.md",
      "known-server-differences.md",
      "conformance.md",
    ],
  },
  { title: "Figures", pages: ["benchmarks.md", "benchmarks-history.md", "faults.md", "measurements/"] },
  { title: "How it is made", pages: ["architecture.md", "dependencies.md", "adr/"] },
  { title: "Reference", pages: ["reference/"] },
  { title: "Directives of a serverfile", pages: ["reference/directives/"] },
  { title: "Matchers of a serverfile", pages: ["reference/matchers/"] },
  { title: "Global options of a serverfile", pages: ["reference/options/"] },
  { title: "Modules of the web server", pages: ["reference/modules/"] },
];

export interface NavigationEntry {
  /** Path below docs/. */
  readonly path: string;
  readonly title: string;
}

/** A group with its existing pages. */
export interface FilledGroup {
  readonly title: string;
  /** Pages of the group, in order. */
  readonly entries: readonly NavigationEntry[];
}

/**
 * Puts the existing pages into the groups.
 * @throws Error when a group names a missing page
 */
export function fillNavigation(
  groups: readonly NavigationGroup[],
  pages: readonly NavigationEntry[],
): FilledGroup[] {
  const named = new Set(groups.flatMap(({ pages }) => pages));
  const folders = [...named].filter((path) => path.endsWith("/"));
  const sorted = pages.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const entriesOf = (path: string): NavigationEntry[] => {
    if (path.endsWith("/")) {
      const inner = folders.filter((folder) => folder !== path && folder.startsWith(path));
      return sorted.filter(
        (page) =>
          page.path.startsWith(path) &&
          !named.has(page.path) &&
          !inner.some((folder) => page.path.startsWith(folder)),
      );
    }
    const entry = pages.find((page) => page.path === path);
    if (entry === undefined) {
      throw new Error(`the navigation names ${path}, which is not there`);
    }
    return [entry];
  };
  const filled = groups.map(({ title, pages }) => ({ title, entries: pages.flatMap(entriesOf) }));
  const rest = sorted.filter(
    ({ path }) => !named.has(path) && !folders.some((folder) => path.startsWith(folder)),
  );
  return [...filled, { title: "More", entries: rest }].filter(({ entries }) => entries.length > 0);
}
