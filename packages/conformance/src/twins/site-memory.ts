const memory =
  /lb_policy|fail_duration|max_fails|unhealthy_|health_|DOWN%|UP_\w%[^\n]*%UP_|enable_full_duplex/;

/** Whether a request to the site affects the answers to later ones, so that requests must come one at a time. */
export const remembersRequests = (site: string): boolean => memory.test(site);
