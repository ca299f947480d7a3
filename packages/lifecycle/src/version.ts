import manifest from "../package.json" with { type: "json" };

/** The build that runs, as `version` and the admin port tell it. */
export interface VersionInfo {
  readonly gitCommit: string;
  readonly gitVersion: string;
  readonly buildDate: string;
}

/**
 * The version, the same for all packages. Commit and date come from GIT_COMMIT and BUILD_DATE of the image.
 */
export const version: VersionInfo = {
  gitCommit: process.env.GIT_COMMIT ?? "",
  gitVersion: `v${manifest.version}`,
  buildDate: process.env.BUILD_DATE ?? "",
};
