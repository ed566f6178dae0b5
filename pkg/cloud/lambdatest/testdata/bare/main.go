// Command bare is a Lambda function that does nothing: what others are compared with.
package main

import "github.com/aws/aws-lambda-go/lambda"

func main() { lambda.Start(func() error { return nil }) }
