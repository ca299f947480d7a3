import { filledText } from "certificates/tls/dns/api/filled-text";
import { configDuration } from "server-core/modules/config-fields";
import { z } from "zod";

/** Config of the file system `s3`. Source: Caddy's plug-in (sagikazarmark/caddy-fs-s3) */
export const s3Schema = z.strictObject({
  bucket: filledText("Bucket with the files."),
  region: filledText(
    "Region of the bucket (AWS_REGION or AWS_DEFAULT_REGION, that of the profile, else us-east-1).",
  ).nullish(),
  profile: filledText("Profile of AWS's files whose credentials count.").nullish(),
  endpoint: filledText("URL of the service (Amazon's of the region).").nullish(),
  /** The bucket is always in the path if its name cannot be part of a host name, or if the host is an IP address. */
  force_path_style: z
    .boolean()
    .nullish()
    .describe("Whether the bucket is in the path of URLs, not in the host (false)."),
  use_path_style: z.boolean().nullish().describe("The same by another name."),
  access_key_id: filledText(
    "Access key (that of the environment, of a profile, of the container's or the machine's role).",
  ).nullish(),
  secret_access_key: filledText("Secret of the access key.").nullish(),
  session_token: filledText("Token of temporary credentials.").nullish(),
  /** The timeout also limits each pause within the body. */
  timeout: configDuration().nullish().describe("How long the service may take to begin an answer (10s)."),
  max_requests: z
    .int()
    .positive()
    .nullish()
    .describe("Requests to the service that one thread has under way; more get 503 (256)."),
});

export type S3Config = z.infer<typeof s3Schema>;
