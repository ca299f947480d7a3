// Only to build programs of others; see build.sh.
module peers

go 1.23.2

require github.com/jaegertracing/jaeger v1.62.0

// The module that Jaeger asks for has moved, and its newer versions have another name inside.
replace github.com/Shopify/sarama => github.com/Shopify/sarama v1.33.0
