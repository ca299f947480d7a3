/** Packages of the processes to the names of their programs. */
export const programs: Readonly<Record<string, string>> = {
  "admin-server": "server",
  "tracing-agent": "tracing-agent",
  "tracing-cli": "tracing",
  "tracing-collector": "tracing-collector",
  "tracing-query": "tracing-query",
  "tracing-storage": "tracing-storage",
};

/** Images of docker/Dockerfile that are published: of all but the command line. And packages of which each has a list of what it is made of. */
export const imageNames = [
  ...Object.keys(programs)
    .filter((name) => name !== "tracing-cli")
    .toSorted(),
  "example-shop",
];

/** Processors that images are published for. */
export const imageArchitectures: readonly string[] = ["amd64", "arm64"];

/** The parts of a release that depend on how it is made. */
export interface ReleaseParts {
  readonly version: string;
  /** Operating system and processor that executables are for, as Node names them: "linux-x64". */
  readonly platform: string;
  readonly charts: readonly string[];
  /** "@owner" of the npm packages. */
  readonly scope?: string | undefined;
  readonly architectures: readonly string[];
}

/** Every file that a release has in its folder, except for the checksums of these files. */
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
