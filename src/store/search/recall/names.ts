/**
 * Products and projects that people ask about by name. In most languages a name is recognised by its capital letter;
 * where every noun has one, or the name is typed in lower case, by this list. If no turn contains the name, a turn
 * about something similar is not an answer.
 */
const NAMES: ReadonlySet<string> = new Set(
  `
  ableton airflow airtable akka algolia android angular ansible antd apache apollo appium appwrite arangodb argo argocd asana astro
  auth0 avro aws azure babel bamboo bazel bigquery bitbucket bitrise bootstrap bower buildkite bun caddy cassandra celery ceph chef
  circleci clickhouse clojure cloudflare cloudfront cloudwatch cmake cobol cockroachdb codeium codepen cognito composer conan
  confluence consul coredns couchbase couchdb cuda cypress dagger dagster dart datadog dbt debezium deno dgraph discord django docusaurus
  doctrine dotnet drizzle druid drupal dynamodb eclipse ecto electron elasticsearch elastic elixir elm ember envoy erlang esbuild etcd
  express expo fargate fastapi fastify figma firebase firestore flask flink flutter fluentd flyway fortran gatsby gcp gerrit ghost gitea
  github gitlab glassfish golang gradle grafana graphql groovy grpc gulp hadoop haproxy harbor haskell hasura helm heroku hibernate hive
  hudson hugo influxdb intercom ionic istio jaeger jasmine java javascript jekyll jenkins jest jira jquery julia jupyter kafka karma
  keycloak kibana kinesis knative knex kong kotlin kubernetes kustomize laravel liquibase linkerd linux logstash looker lua magento
  mailchimp mailgun mapbox mariadb maven memcached mercurial meteor metabase minio mlflow mocha mongodb mongo mqtt mssql mysql nats neo4j
  nestjs netlify newrelic nextjs nifi nomad notion nuget numpy nuxt nx oauth ocaml okta openapi openai opensearch openshift opentelemetry
  oracle pagerduty pandas parcel paypal perl phoenix php pinecone pinia plaid planetscale playwright podman polars postgres postgresql
  preact presto prisma prometheus protobuf pulumi puppet puppeteer pytest python pytorch qt rabbitmq rails react redis redshift redux
  remix render rollup ruby rust rxjs saltstack salesforce sap sass scala scikit scylla segment selenium sentry sequelize shopify sidekiq
  slack snowflake solid solidity solr sonarqube spark spring splunk sqlalchemy sqlite sqlserver squid storybook strapi stripe supabase svelte
  svn swagger swift symfony tableau tailwind tauri teamcity tekton temporal tensorflow terraform traefik travis trello trino turborepo twilio
  typeorm typescript unity unreal vault vercel vertica vite vitest vue vuex wasm webassembly webpack webrtc weaviate woocommerce wordpress
  xamarin xcode yarn zendesk zig zookeeper zod zustand
  `
    .split(/\s+/)
    .filter((word) => word !== ""),
);

export function isKnownName(word: string): boolean {
  return NAMES.has(word.toLowerCase());
}
