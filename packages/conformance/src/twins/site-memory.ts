const memory =
  /lb_policy|fail_duration|max_fails|unhealthy_|health_|DOWN%|UP_\w%[^\n]*%UP_|enable_full_duplex/;

/** True when a request to the site affects later answers, so that requests must be sent one at a time. */
export const remembersRequests = (site: string): boolean => memory.test(site);
