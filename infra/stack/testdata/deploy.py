"""Makes a stack of the CloudFormation on stdin in the emulator at argv[1] and tells what came of it, as JSON."""

import json
import sys

import boto3

endpoint = sys.argv[1]


def client(service):
    return boto3.client(
        service, endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="test", aws_secret_access_key="test"
    )


template = json.load(sys.stdin)
# The emulator makes the API without its body and then cannot deploy it, and runs no function of a custom resource.
resources = template["Resources"]
for name in [n for n, r in resources.items() if r["Type"] in ("AWS::ApiGateway::Deployment", "AWS::ApiGateway::Stage", "AWS::ApiGateway::BasePathMapping", "Custom::PublishedFiles", "AWS::WAFv2::WebACLAssociation")]:
    del resources[name]
# It knows no domain names either.
del template["Outputs"]["Step1PointName"]

client("s3").create_bucket(Bucket="artifacts")
client("s3").put_object(Bucket="artifacts", Key="code.zip", Body=b"PK\x05\x06" + bytes(18))
formation, functions = client("cloudformation"), client("lambda")
made = formation.create_stack(
    StackName="seabright",
    TemplateBody=json.dumps(template),
    Capabilities=["CAPABILITY_IAM"],
    Parameters=[
        {"ParameterKey": "AlarmEmail", "ParameterValue": "ops@example.com"},
        {"ParameterKey": "LogLevel", "ParameterValue": "warn"},
        # The emulator knows no distribution.
        {"ParameterKey": "DomainName", "ParameterValue": "agent.seabright.example"},
        {"ParameterKey": "CertificateArn", "ParameterValue": "arn:aws:acm:us-east-1:123456789012:certificate/1"},
    ],
)["StackId"]
stack = formation.describe_stacks(StackName=made)["Stacks"][0]
ids = {
    r["LogicalResourceId"]: r.get("PhysicalResourceId", "")
    for page in formation.get_paginator("list_stack_resources").paginate(StackName=made)
    for r in page["StackResourceSummaries"]
}
out = {
    "id": made,
    "status": stack["StackStatus"],
    "reason": stack.get("StackStatusReason", ""),
    "resources": ids,
    "outputs": {o["OutputKey"]: o["OutputValue"] for o in stack.get("Outputs", [])},
    "environments": {},
    "policies": {},
    "sources": functions.list_event_source_mappings()["EventSourceMappings"],
}
for function in functions.list_functions()["Functions"]:
    logical = next((k for k, v in ids.items() if v == function["FunctionName"]), function["FunctionName"])
    out["environments"][logical] = {name: str(value) for name, value in function["Environment"]["Variables"].items()}
    try:
        policy = functions.get_policy(FunctionName=function["FunctionName"])["Policy"]
        out["policies"][logical] = json.loads(policy)["Statement"]
    except functions.exceptions.ResourceNotFoundException:
        pass
print(json.dumps(out, default=str))
