import manifest from "../package.json" with { type: "json" };

/** The running build, as shown by the command `version` and by the admin port. */
export interface VersionInfo {
  readonly gitCommit: string;
  readonly gitVersion: string;
  readonly buildDate: string;
}

/**
 * The version, which is the same for all packages. Commit and date come from the variables GIT_COMMIT and BUILD_DATE of
 * the container image.
 */
export const version: VersionInfo = {
  gitCommit: process.env.GIT_COMMIT ?? "",
  gitVersion: `v${manifest.version}`,
  buildDate: process.env.BUILD_DATE ?? "",
};
