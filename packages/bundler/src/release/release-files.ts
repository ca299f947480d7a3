/** Names of programs by package. */
export const programs: Readonly<Record<string, string>> = {
  "admin-server": "server",
  "tracing-agent": "tracing-agent",
  "tracing-cli": "tracing",
  "tracing-collector": "tracing-collector",
  "tracing-query": "tracing-query",
  "tracing-storage": "tracing-storage",
};

/**
 * Images of docker/Dockerfile that are published: all but the command line. Each of these packages has a bill
 * of materials.
 */
export const imageNames = [
  ...Object.keys(programs)
    .filter((name) => name !== "tracing-cli")
    .toSorted(),
  "example-shop",
];

/** Processor architectures of the published images. */
export const imageArchitectures: readonly string[] = ["amd64", "arm64"];

/** Values on which the names of a release's files depend. */
export interface ReleaseParts {
  readonly version: string;
  /** Operating system and processor of the executables, in Node's form: "linux-x64". */
  readonly platform: string;
  readonly charts: readonly string[];
  /** "@owner" of the npm packages. */
  readonly scope?: string | undefined;
  readonly architectures: readonly string[];
}

/** Every file of a release's folder, except for the checksums. */
export function releaseFiles({ version, platform, charts, scope, architectures }: ReleaseParts): string[] {
  const prefix = scope === undefined ? "" : `${scope.replace("@", "")}-`;
  return [
    ...Object.keys(programs).map((name) => `npm/${prefix}${name}-${version}.tgz`),
    ...Object.values(programs).map((name) => `executables/${name}-${version}-${platform}.tar.gz`),
    ...charts.map((name) => `charts/${name}-${version}.tgz`),
    ...architectures.flatMap((each) => imageNames.map((name) => `images/${name}-${version}-${each}.tar`)),
    ...imageNames.map((name) => `sbom/${name}-${version}.cdx.json`),
    "sbom.cdx.json",
    "THIRD_PARTY.md",
  ].toSorted();
}
