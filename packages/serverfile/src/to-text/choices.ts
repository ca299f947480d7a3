/**
 * Condition for merging sites of several servers into one site:
 * - `alike`: the sites have the same directives
 * - `same`: the sites have the same directives and the same hosts
 */
export type Merging = "alike" | "same";

/**
 * Managed names that become further addresses of the site for any host; other managed names become words of
 * `tls_automate_names`:
 *
 * - `unserved`: names that no site serves
 * - `internal`: only names that get no public certificate
 * - `first`: the first name of each policy without other settings
 * - `all`: every managed name
 * - `none`: no name
 */
export type AutomatedAddresses = "unserved" | "internal" | "first" | "all" | "none";

/**
 * Place of an additional address for any host, if no route shows that the original text had one. Such an address hides
 * the other hosts of its site in the config; for a site without routes, the config has no route at all.
 *
 * - `none`: no such address
 * - `with paths`: in a site whose addresses all have paths, on servers whose logs or connection policies refer to any
 * host; if no such site exists, as with `alone`
 * - `alone`: in a separate site on these servers
 */
export type HiddenAnyHost = "none" | "with paths" | "alone";

/**
 * Choices between texts that may result in the same config. A config rarely shows the right choice, so each text is
 * adapted again and compared with the config.
 */
export interface Choices {
  /** Condition for merging sites of several servers into one site with all their addresses. */
  readonly merging: Merging;
  /** True: settings for all names are global options. False: these settings are in the site for any host. */
  readonly globalCertificates: boolean;
  /**
   * True: ACME is configured by global options such as `email` and `acme_ca`. False: ACME is configured by one
   * `cert_issuer` for each issuer.
   */
  readonly acmeOptions: boolean;
  readonly automatedAddresses: AutomatedAddresses;
  readonly hiddenAnyHost: HiddenAnyHost;
  /**
   * True: the address of a site for any host begins with `http://` if the site has no TLS. Without `http://`, the
   * site's settings would apply to the certificates of all names.
   */
  readonly namesScheme: boolean;
  /** True: `default_bind` has the listen addresses of all servers. */
  readonly defaultBind: boolean;
  /** True: `handle_errors` is written before the other directives. Groups are numbered in the order of the text. */
  readonly errorsFirst: boolean;
}
