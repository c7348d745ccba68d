// AWS's own library, as programs use it: keys from the environment, nothing said about where or how to sign.
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';

const { Account, Arn } = await new STSClient({ region: 'eu-central-1' }).send(new GetCallerIdentityCommand({}));
console.log(Account, Arn);
