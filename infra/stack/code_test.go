package stack

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/dealer-agent/dealer/pkg/cloud"
	"github.com/dealer-agent/dealer/pkg/cloud/cloudtest"
)

// sources parses the Go files below a folder that ship.
func sources(t *testing.T, dir string) []*ast.File {
	t.Helper()
	var files []*ast.File
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && strings.HasSuffix(d.Name(), "test") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		files = append(files, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no Go files below %s", dir)
	}
	return files
}

// inFunctions parses the packages below pkg/cloud that functions are built of;
// others are the command's, which has the rights of the person who runs it.
func inFunctions(t *testing.T) (files []*ast.File) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{range .GoFiles}}{{$.ImportPath}} {{$.Dir}}/{{.}}{{"\n"}}{{end}}`, functionsDir+"/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		pkg, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.Contains(pkg, "/dealer/pkg/cloud") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		t.Fatal("the functions are built of nothing in pkg/cloud")
	}
	return files
}

// operations are all calls of the services, by method.
func operations() map[string]string {
	all := map[string]string{}
	for service, client := range map[string]reflect.Type{
		"dynamodb": reflect.TypeFor[*dynamodb.Client](), "sqs": reflect.TypeFor[*sqs.Client](), "s3": reflect.TypeFor[*s3.Client](),
		"ses": reflect.TypeFor[*sesv2.Client](), "ssm": reflect.TypeFor[*ssm.Client](), "secretsmanager": reflect.TypeFor[*secretsmanager.Client](),
	} {
		for n := range client.NumMethod() {
			if name := client.Method(n).Name; name != "Options" {
				all[name] = service + ":" + name
			}
		}
	}
	return all
}

// withoutCall are allowed although no code of ours calls them: Lambda's own
// work, what makes S3 say "not found" instead of "forbidden", and what API
// Gateway writes its log with.
var withoutCall = []string{
	"logs:CreateLogGroup", "logs:DescribeLogGroups", "logs:DescribeLogStreams", "logs:FilterLogEvents", "logs:GetLogEvents",
	"logs:CreateLogStream", "logs:PutLogEvents", "s3:ListBucket",
	"sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage",
}

// withoutRole are called although no role allows them: by the command, with the
// rights of the person who runs it.
var withoutRole = []string{"dynamodb:Scan", "s3:CopyObject"}

func TestRolesMayDoWhatTheCodeCallsAndNothingElse(t *testing.T) {
	known := operations()
	called := map[string]bool{}
	for _, file := range append(inFunctions(t), sources(t, functionsDir)...) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if method, ok := n.Fun.(*ast.SelectorExpr); ok && known[method.Sel.Name] != "" {
					called[known[method.Sel.Name]] = true
				}
			case *ast.KeyValueExpr:
				// IAM asks for the actions inside a transaction.
				if key, ok := n.Key.(*ast.Ident); ok && key.Name == "ConditionCheck" {
					called["dynamodb:ConditionCheckItem"] = true
				}
			}
			return true
		})
	}
	if called["dynamodb:TransactWriteItems"] {
		delete(called, "dynamodb:TransactWriteItems")
		called["dynamodb:PutItem"] = true
	}
	if called["s3:ListObjectsV2"] {
		delete(called, "s3:ListObjectsV2")
		called["s3:ListBucket"] = true // what IAM asks for it
	}
	if called["s3:HeadObject"] {
		delete(called, "s3:HeadObject")
		called["s3:GetObject"] = true // what IAM asks for it
	}
	if called["ses:SendEmail"] {
		called["ses:SendRawEmail"] = true // what IAM asks for a raw message
	}
	may := allowed()
	for _, action := range sorted(called) {
		if !slices.Contains(may, action) && !slices.Contains(withoutRole, action) {
			t.Errorf("the code calls %s, which no role allows", action)
		}
	}
	for _, action := range may {
		if !called[action] && !slices.Contains(withoutCall, action) {
			t.Errorf("a role allows %s, which no code calls", action)
		}
	}
}

func TestAttributesAreTheOnesOfTheStores(t *testing.T) {
	want := map[string]string{"attrPK": "pk", "attrSK": "sk", "attrExpires": ttlAttribute}
	for _, file := range sources(t, "../../pkg/cloud") {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 || want[spec.Names[0].Name] == "" {
				return true
			}
			value, ok := spec.Values[0].(*ast.BasicLit)
			if text, _ := strconv.Unquote(value.Value); !ok || text != want[spec.Names[0].Name] {
				t.Errorf("%s is %s in the code, %q in the template", spec.Names[0].Name, value.Value, want[spec.Names[0].Name])
			}
			delete(want, spec.Names[0].Name)
			return true
		})
	}
	if len(want) > 0 {
		t.Errorf("the code has no %v", sorted(want))
	}
}

func TestEveryAlarmingLineIsOneThatTheCodeWrites(t *testing.T) {
	written := map[string]bool{}
	for _, dir := range []string{"../../pkg/cloud", "../../pkg/crm", "../../pkg/a2a", "../../pkg/mcptools", "../../pkg/pickup"} {
		for _, file := range sources(t, dir) {
			ast.Inspect(file, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					line, _ := strconv.Unquote(text.Value)
					written[line] = true
				}
				return true
			})
		}
	}
	for _, lines := range logged {
		for _, line := range lines {
			if !written[line] {
				t.Errorf("no code writes %q", line)
			}
			var out bytes.Buffer
			cloud.NewLogger(&out, nil).Error(line, "error", "x")
			var record struct {
				Msg string `json:"msg"`
			}
			if err := json.Unmarshal(out.Bytes(), &record); err != nil || record.Msg != line {
				t.Errorf("the log has %s for %q: no filter on $.msg would find it", out.Bytes(), line)
			}
		}
	}
}

func TestTestsUseTablesAndQueuesAsTheTemplateMakesThem(t *testing.T) {
	made := map[string][]tree{}
	aws := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		body, _ := io.ReadAll(r.Body)
		var request tree
		if err := json.Unmarshal(body, &request); err != nil {
			t.Errorf("%s: %v", operation, err)
		}
		made[operation] = append(made[operation], request)
		_, _ = io.WriteString(w, `{"Table":{"TableStatus":"ACTIVE"},"QueueUrl":"https://sqs.example.com/1/q","Attributes":{"QueueArn":"arn:aws:sqs:us-east-1:1:q"}}`)
	}))
	defer aws.Close()
	cloudtest.Table(t, cloudtest.DynamoDB(aws.URL))
	cloudtest.Queue(t, aws.URL)
	if len(made["CreateTable"]) != 1 || shapeOf(made["CreateTable"][0]) != tableShape {
		t.Errorf("tests make the table %v, the template\n%s", made["CreateTable"], tableShape)
	}
	queues := made["CreateQueue"]
	if len(queues) != 2 {
		t.Fatalf("tests make the queues %v", queues)
	}
	leads := readTemplate(t).props("LeadQueue")
	if got, want := render(at(queues[1], "Attributes", "VisibilityTimeout")), render(leads["VisibilityTimeout"]); got != want {
		t.Errorf("messages come back after %s seconds in tests, %s in the template", got, want)
	}
	if redrive := textAt(queues[1], "Attributes", "RedrivePolicy"); !strings.Contains(redrive, `"maxReceiveCount":"`+strconv.Itoa(maxReceives)+`"`) {
		t.Errorf("tests redrive by %s, the template after %d tries", redrive, maxReceives)
	}
}
