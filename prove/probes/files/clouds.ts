import type { Probe } from '../../probe.ts';
import { attack } from '../attack.ts';
import { credentials } from './places.ts';

export const CLOUD_FILES: readonly Probe[] = [
  credentials(
    {
      id: 'files/aws',
      title: 'AWS log-ins',
      gives: 'the accounts they open',
      reference: 'https://docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html',
    },
    ...['.aws/credentials', '.aws/config', '.aws/sso/cache/0123.json', '.aws/cli/cache/0123.json'],
  ),
  credentials(
    {
      id: 'files/google-cloud',
      title: 'Google Cloud log-ins',
      gives: 'the projects they open',
      reference: 'https://cloud.google.com/docs/authentication/application-default-credentials',
    },
    ...['.config/gcloud/application_default_credentials.json', '.config/gcloud/credentials.db'],
  ),
  credentials(
    {
      id: 'files/azure',
      title: 'Azure log-ins',
      gives: 'the subscriptions they open',
      reference: 'https://learn.microsoft.com/cli/azure/msal-based-azure-cli',
    },
    ...['.azure/msal_token_cache.json', '.azure/accessTokens.json'],
  ),
  credentials(
    {
      id: 'files/kubernetes',
      title: 'log-ins to Kubernetes clusters',
      gives: 'the clusters they open',
      reference: 'https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/',
    },
    ...['.kube/config', '.kube/cache/oidc-login/x'],
  ),
  credentials(
    {
      id: 'files/registries',
      title: 'log-ins to container registries',
      gives: 'pushing images in the name of the user',
      reference: 'https://docs.docker.com/reference/cli/docker/login/',
    },
    '.docker/config.json',
  ),
  credentials(
    {
      id: 'files/infrastructure',
      title: 'Terraform, Pulumi, Vault and Teleport',
      gives: 'the infrastructure and whatever its state holds',
      reference: attack('T1552/001'),
    },
    ...[
      '.terraform.d/credentials.tfrc.json',
      '.terraformrc',
      '.pulumi/credentials.json',
      '.vault-token',
      '.tsh/x.yaml',
    ],
  ),
  credentials(
    {
      id: 'files/hosting',
      title: 'hosting services, object storage and tunnels',
      gives: 'deploying in the name of the user',
      reference: attack('T1552/001'),
    },
    ...['.config/heroku/x', '.local/share/com.vercel.cli/auth.json', '.fly/config.yml', '.config/doctl/config.yaml'],
    ...['.cloudflared/cert.pem', '.wrangler/config/default.toml', '.config/rclone/rclone.conf', '.s3cfg'],
    ...['.config/stripe/config.toml', '.config/ngrok/ngrok.yml', '.sentryclirc', '.databrickscfg'],
  ),
];
